import type { HistoryEntry, SumChange } from '../../api/history-queries.ts'

/**
 * Derives the changes of free-to-use from journal entries, one per operation: the change of the
 * available balance minus that of the envelopes. `free` is the current amount. With `isCut` the
 * oldest operation is left out, as some of its entries may be missing.
 */
export function freeChanges(
  entries: readonly HistoryEntry[],
  { free, isCut }: { free: number; isCut: boolean },
): SumChange[] {
  const operations = [...Map.groupBy(entries, ({ operationId }) => operationId).values()]
  let amount = free
  return (isCut ? operations.slice(0, -1) : operations).flatMap((all) => {
    const held = all.filter(({ pot }) => pot === 'available' || pot === 'envelope')
    const delta = held.reduce((sum, one) => sum + (one.pot === 'available' ? 1 : -1) * one.delta, 0)
    const [first, other] = held
    const after = amount
    amount -= delta
    if (first === undefined || delta === 0) return []
    // The result names the envelope only if the operation changes neither the available balance nor
    // another envelope; otherwise it names free-to-use.
    const pot = other === undefined && first.pot === 'envelope' ? first.pot : 'free'
    return [{ ...first, pot, delta, amount: after }]
  })
}

import type { HistoryEntry, SumChange } from '../../api/history-queries.ts'

/**
 * Returns the changes of free-to-use that entries of the journal amount to, one for each operation:
 * the change of the available balance without that of the envelopes. `free` is the present amount.
 * The oldest operation is left out of a list that ends within it.
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
    // Of several pots none is named: the change is of free-to-use.
    const pot = other === undefined && first.pot === 'envelope' ? first.pot : 'free'
    return [{ ...first, pot, delta, amount: after }]
  })
}

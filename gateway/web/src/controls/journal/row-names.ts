import type { SumChange } from '../../api/history-queries.ts'
import { historyWords as words } from '../../words/history.ts'

type Named = Pick<
  SumChange,
  'operationId' | 'cause' | 'causeId' | 'pot' | 'spendingId' | 'delta' | 'transaction' | 'upload'
>

/** Returns the names of journal entries, which are ordered newest first. */
export function rowNames(entries: readonly Named[]): string[] {
  const corrections = findCorrections(entries)
  return entries.map((entry, index) => {
    const { transaction, cause } = entry
    const name = transaction?.name
    if (name !== undefined) return corrections.has(entry) ? words.corrected({ name }) : name
    if (!isOfPayment(entry)) return causeOf(entry)
    if (entry.upload) return words.ofFile({ cause, file: entry.upload.fileName })
    const isOfUndo = isUndone(entry, entries.slice(0, index))
    return isOfUndo ? words.undone({ cause }) : words.gone({ cause })
  })
}

/**
 * Returns the entries by which a payment changes what it has moved in the same pot before. One that
 * ends at 0 takes the payment out of the pot, and one after it brings it back: both are none.
 */
function findCorrections(entries: readonly Named[]): ReadonlySet<Named> {
  const moved = new Map<string, number>()
  const corrects = (entry: Named) => {
    const { causeId, pot, spendingId } = entry
    // A change of free-to-use has the envelope of its operation's first entry.
    const key = `${causeId} ${pot} ${pot === 'free' ? '' : spendingId}`
    const before = moved.get(key) ?? 0
    moved.set(key, before + entry.delta)
    return isOfPayment(entry) && before !== 0 && before + entry.delta !== 0
  }
  return new Set(entries.toReversed().filter(corrects))
}

function isOfPayment({ cause }: Named): boolean {
  return cause === 'transaction' || cause === 'refund'
}

/**
 * Returns whether the undo of an import removed the payment of an entry: a deletion would have an
 * entry of its own among the newer ones.
 */
function isUndone({ causeId, spendingId }: Named, newer: readonly Named[]): boolean {
  const takesBack = (one: Named) => one.cause === 'undo' && one.spendingId === spendingId
  const isDeleted = newer.some((one) => one.cause === 'deletion' && one.causeId === causeId)
  return spendingId !== null && newer.some(takesBack) && !isDeleted
}

function causeOf({ cause, operationId }: Named): string {
  // `/grace/`: the end of the grace, the days after a due date (docs/money/grace.md).
  const isGraceEnd = cause === 'period-closed' && operationId.includes('/grace/')
  return words.causes[isGraceEnd ? 'grace-ended' : cause] ?? cause
}

import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { changeOne } from '../../api/bulk-changes.ts'
import { showNote } from '../../api/notes.ts'
import { bulkWords } from '../../words/bulk.ts'
import { homeWords } from '../../words/home.ts'
import { assignedText, isUsual, type Says } from './assigned-text.ts'

/** A transaction and the envelope that pays it; null leaves it free to use. */
export interface Assignment extends Says {
  transaction: Transaction
  envelope: Spending | null
}

/** Pays a transaction from an envelope, or leaves it free to use, and says how to undo that. */
export function assign({ transaction, envelope, ...says }: Assignment): Promise<void> {
  const name = transaction.name ?? transaction.originalName
  return changeOne(transaction, { spendingId: envelope?.spendingId ?? null }, (changed) =>
    envelope === null
      ? homeWords.leftFree({ name, rest: says.rest })
      : assignedText(changed, envelope, says),
  )
}

/** Says of a new payment that an envelope has paid what `assign` says of a stored one. */
export function noteAssigned(
  created: Transaction,
  { spending, ...says }: Says & { spending: Spending[] },
): void {
  const envelope = spending.find(({ spendingId }) => spendingId === created.spendingId)
  if (!envelope || isUsual(created, envelope, says)) return
  const undo = () => changeOne(created, { spendingId: null }, () => null)
  const text = assignedText(created, envelope, says)
  showNote({ text, act: { text: bulkWords.undo, work: undo } })
}

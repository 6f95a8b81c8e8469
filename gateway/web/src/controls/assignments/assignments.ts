import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { changeOne } from '../../api/bulk-changes.ts'
import { coffer } from '../../api/client.ts'
import { type Note, showNote } from '../../api/notes.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { bulkWords } from '../../words/bulk.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import { assignedText, isOpenBill, isUsual, manyText, restFor, type Says } from './assigned-text.ts'

/** A transaction and the envelope that pays it; null for none, so that free-to-use pays. */
export interface Assignment extends Says {
  transaction: Transaction
  envelope: Spending | null
}

/** Assigns a transaction to an envelope or to free-to-use, and shows a note with an undo. */
export function assign({ transaction, envelope, ...says }: Assignment): Promise<void> {
  const name = transaction.name ?? transaction.originalName
  const set = { spendingId: envelope?.spendingId ?? null }
  return changeOne(transaction, set, (changed) =>
    envelope === null
      ? { text: homeWords.leftFree({ name, rest: restFor(transaction, says.rest) }) }
      : noteOf(changed, envelope, says),
  )
}

/** Returns a note about an assignment, with an action that marks an open bill as paid. */
function noteOf(changed: Transaction, envelope: Spending, says: Says): Note {
  const { reader } = says
  return { text: assignedText(changed, envelope, says), ...offerOf([changed], envelope, reader) }
}

/** Returns a note about the assignment of several payments, with unexpected effects only. */
export function noteOfMany(
  changed: Transaction[],
  envelope: Spending,
  reader: Says['reader'],
): Note {
  const text = manyText(changed, { envelope, reader })
  return { text, ...offerOf(changed, envelope, reader) }
}

function offerOf(
  changed: Transaction[],
  envelope: Spending,
  reader: Says['reader'],
): Pick<Note, 'offer'> {
  const { bankAccountId, spendingId, nextRecurrence } = envelope
  if (!isOpenBill(changed, envelope, reader)) return {}
  const path = { bankAccountId, spendingId }
  const day = formatShortDay(dayOf(nextRecurrence, reader.timezone), reader)
  const work = async () => {
    await coffer.settleSpending({ path })
    const undo = () => coffer.unsettleSpending({ path })
    showNote({
      text: envelopeWords.hasSettled({ day }),
      act: { text: envelopeWords.undo, work: undo },
    })
  }
  return { offer: { text: envelopeWords.settle, work } }
}

/** Shows the note of `assign` for a new payment that was created with an envelope. */
export function noteAssigned(
  created: Transaction,
  { spending, ...says }: Says & { spending: Spending[] },
): void {
  const envelope = spending.find(({ spendingId }) => spendingId === created.spendingId)
  if (!envelope || isUsual(created, envelope, says)) return
  const undo = () => changeOne(created, { spendingId: null }, () => null)
  const act = { text: bulkWords.undo, work: undo }
  showNote({ ...noteOf(created, envelope, says), act })
}

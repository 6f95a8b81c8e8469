import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { changeOne } from '../../api/bulk-changes.ts'
import { coffer } from '../../api/client.ts'
import { type Note, showNote } from '../../api/notes.ts'
import { dayOf, formatDay } from '../../format/days.ts'
import { bulkWords } from '../../words/bulk.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import { assignedText, isOpenBill, isUsual, manyText, type Says } from './assigned-text.ts'

/** A transaction and the envelope that pays it; null leaves it free to use. */
export interface Assignment extends Says {
  transaction: Transaction
  envelope: Spending | null
}

/** Pays a transaction from an envelope, or leaves it free to use, and says how to undo that. */
export function assign({ transaction, envelope, ...says }: Assignment): Promise<void> {
  const name = transaction.name ?? transaction.originalName
  const set = { spendingId: envelope?.spendingId ?? null }
  return changeOne(transaction, set, (changed) =>
    envelope === null
      ? { text: homeWords.leftFree({ name, rest: says.rest }) }
      : noteOf(changed, envelope, says),
  )
}

/** Returns what an assignment has done, with the offer to mark an open bill as paid. */
function noteOf(changed: Transaction, envelope: Spending, says: Says): Note {
  const { reader } = says
  return { text: assignedText(changed, envelope, says), ...offerOf([changed], envelope, reader) }
}

/** Returns the same of many payments: what a person may not expect of it. */
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
  const day = formatDay(dayOf(nextRecurrence, reader.timezone), reader)
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

/** Says of a new payment that an envelope has paid what `assign` says of a stored one. */
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

import type { Spending, Transaction } from '../api/budget-queries.ts'
import { changeOne } from '../api/bulk-changes.ts'
import { dayOf, formatDay, type Place } from '../format/days.ts'
import { homeWords } from '../words/home.ts'

/** How amounts and days are written. */
interface Says {
  money: (amount: number) => string
  reader: Place & { today: string }
}

/** A transaction and the envelope that pays it; null leaves it free to use. */
export interface Assignment extends Says {
  transaction: Transaction
  envelope: Spending | null
  /** Whether to say also that all went as a person expects. */
  saysAll: boolean
}

/** Pays a transaction from an envelope, or leaves it free to use, and says how to undo that. */
export function assign({ transaction, envelope, saysAll, ...says }: Assignment): Promise<void> {
  const name = transaction.name ?? transaction.originalName
  return changeOne(transaction, { spendingId: envelope?.spendingId ?? null }, (changed) => {
    if (envelope === null) return saysAll ? homeWords.leftFree({ name }) : null
    const isUsual = !isPaidInPart(changed) && !isOlder(changed, envelope, says)
    return isUsual && !saysAll ? null : assignedText(changed, envelope, says)
  })
}

function isPaidInPart({ amount, spendingAmount = amount }: Transaction): boolean {
  return spendingAmount < amount
}

/** Returns whether the envelope has paid a transaction of a day before its first one. */
function isOlder({ date, spendingAmount = 0 }: Transaction, { createdAt }: Spending, says: Says) {
  const { timezone } = says.reader
  return spendingAmount > 0 && dayOf(date, timezone) < dayOf(createdAt, timezone)
}

/** Returns what an assignment has done, in words: an envelope gives what it holds at most. */
function assignedText(transaction: Transaction, envelope: Spending, says: Says): string {
  const { spendingAmount = 0, originalName } = transaction
  const names = { name: transaction.name ?? originalName, envelope: envelope.name }
  const amount = says.money(spendingAmount)
  if (isOlder(transaction, envelope, says)) {
    const day = formatDay(dayOf(envelope.createdAt, says.reader.timezone), says.reader)
    return homeWords.assignedOlder({ ...names, amount, day })
  }
  if (!isPaidInPart(transaction)) return homeWords.assigned(names)
  if (spendingAmount === 0) return homeWords.assignedEmpty(names)
  return homeWords.assignedPart({ ...names, amount })
}

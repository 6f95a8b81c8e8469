import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { dayAfter, dayOf, formatShortDay, type Place } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { bulkWords } from '../../words/bulk.ts'
import { homeWords } from '../../words/home.ts'
import { isEveryday } from './everyday.ts'

/** Formats of amounts and days. */
export interface Says {
  money: (amount: number) => string
  reader: Place & { today: string }
  /** Source of the part that no envelope pays: free-to-use, unused credit of a card, or debt. */
  rest: Rest
}

/**
 * Returns the source of the part of a payment that no envelope pays. `file`: unknown, because an
 * imported transaction does not move the balance, which may be without it already.
 */
export function restFor({ source }: Pick<Transaction, 'source'>, rest: Rest): Rest | 'file' {
  return source === 'upload' ? 'file' : rest
}

/** Returns a text with unexpected effects of an assignment of several payments. */
export function manyText(
  changed: Transaction[],
  by: { envelope: Spending; reader: Says['reader'] },
): string {
  return [olderText(changed, by), openBillText(changed, by)].filter(Boolean).join(' ')
}

/**
 * Returns a text about payments that are older than their envelope, or than its last bill; empty if
 * there are none.
 */
function olderText(
  changed: Transaction[],
  { envelope, reader }: { envelope: Spending; reader: Says['reader'] },
): string | null {
  const older = changed.filter((one) => isOlder(one, envelope, reader)).length
  const former = changed.flatMap((one) => formerDue(one, envelope, reader) ?? [])
  const count = older || former.length
  if (count === 0) return null
  const taken = changed.reduce((sum, { spendingAmount }) => sum + (spendingAmount ?? 0), 0)
  const first = older > 0 ? dayOf(envelope.createdAt, reader.timezone) : (former[0] ?? '')
  const say = older > 0 ? bulkWords.older : bulkWords.former
  const day = formatShortDay(first, reader)
  const text = say({ count, all: changed.length, envelope: envelope.name, day })
  return [text, billText(taken, { envelope, reader })].join(' ').trim()
}

/**
 * Returns a text if payments have paid the next bill of an envelope, else an empty one. All
 * payments of the period count, of any date (docs/plans/bills.md#bills-paid-early). `envelope` is
 * the state before them.
 */
function billText(
  taken: number,
  { envelope, reader }: { envelope: Spending; reader: Says['reader'] },
): string {
  const { settlesWhenSpent, settledAt, periodSpentAmount, targetAmount } = envelope
  const isPaid = settlesWhenSpent && periodSpentAmount + taken >= targetAmount
  if (isEveryday(envelope) || !isPaid || settledAt !== null) return ''
  const day = formatShortDay(dayOf(envelope.nextRecurrence, reader.timezone), reader)
  return homeWords.countsAsBill({ day })
}

/** A payment may pay the bill if its share of the target is in this range. */
const billShares = { least: 0.75, most: 1.25 }

/**
 * Returns whether payments have about the amount of the next bill of an expense, but do not count
 * as its payment automatically. If they have paid the bill, the user has to say so: otherwise the
 * next paydays save for it again. `envelope` is the state before the payments.
 */
export function isOpenBill(
  payments: Transaction[],
  envelope: Spending,
  { timezone }: Says['reader'],
): boolean {
  const { spendingType, settledAt, graceUntil, graceDays } = envelope
  const { targetAmount, periodSpentAmount, settlesWhenSpent, lastRecurrence, createdAt } = envelope
  if (spendingType !== 'expense' || isEveryday(envelope) || settledAt || graceUntil) return false
  const taken = payments.reduce((sum, { spendingAmount }) => sum + (spendingAmount ?? 0), 0)
  const isPaid = settlesWhenSpent && periodSpentAmount + taken >= targetAmount
  // Payments in the days of grace after the last due date belong to the previous bill.
  const first = lastRecurrence
    ? dayAfter(dayOf(lastRecurrence, timezone), graceDays + 1)
    : dayOf(createdAt, timezone)
  const own = payments.filter(({ date }) => dayOf(date, timezone) >= first)
  const share = own.reduce((sum, { amount }) => sum + amount, 0) / targetAmount
  return !isPaid && share >= billShares.least && share <= billShares.most
}

/** Returns whether an assignment has only the effects that users expect, so no note explains it. */
export function isUsual(transaction: Transaction, envelope: Spending, { reader }: Says): boolean {
  const isOfBefore =
    isOlder(transaction, envelope, reader) || formerDue(transaction, envelope, reader) !== null
  const isUnsaid = isOfBefore || isOpenBill([transaction], envelope, reader)
  return !isPaidInPart(transaction) && !isUnsaid
}

function isPaidInPart({ amount, spendingAmount = amount }: Transaction): boolean {
  return spendingAmount < amount
}

/** Returns whether the envelope has paid a transaction that is older than the envelope. */
function isOlder(
  { date, spendingAmount = 0 }: Transaction,
  { createdAt }: Spending,
  { timezone }: Says['reader'],
): boolean {
  return spendingAmount > 0 && dayOf(date, timezone) < dayOf(createdAt, timezone)
}

/**
 * Returns the last due date of an expense if a payment from before that day took money of the next
 * bill; else null. In the days of grace after a due date, such a payment takes money of the last
 * bill.
 */
function formerDue(
  { date, spendingAmount = 0 }: Transaction,
  envelope: Spending,
  { timezone }: Says['reader'],
): string | null {
  const { lastRecurrence, graceUntil, spendingType } = envelope
  if (isEveryday(envelope)) return null
  if (!lastRecurrence || graceUntil || spendingType !== 'expense') return null
  const due = dayOf(lastRecurrence, timezone)
  return spendingAmount > 0 && dayOf(date, timezone) < due ? due : null
}

/** Returns a text about the result of an assignment: an envelope pays at most what it holds. */
export function assignedText(transaction: Transaction, envelope: Spending, says: Says): string {
  const text = takenText(transaction, envelope, says)
  return [text, openBillText([transaction], { envelope, reader: says.reader })].join(' ').trim()
}

function openBillText(
  payments: Transaction[],
  { envelope, reader }: { envelope: Spending; reader: Says['reader'] },
): string {
  if (!isOpenBill(payments, envelope, reader)) return ''
  const day = formatShortDay(dayOf(envelope.nextRecurrence, reader.timezone), reader)
  return homeWords.maybeBill({ day })
}

function takenText(transaction: Transaction, envelope: Spending, says: Says): string {
  const { spendingAmount = 0, originalName } = transaction
  const { reader } = says
  const rest = restFor(transaction, says.rest)
  const names = { name: transaction.name ?? originalName, envelope: envelope.name }
  const amount = says.money(spendingAmount)
  const isFromBefore = isOlder(transaction, envelope, reader)
  const due = formerDue(transaction, envelope, reader)
  const first = isFromBefore ? dayOf(envelope.createdAt, reader.timezone) : due
  if (first !== null) {
    const say = isFromBefore ? homeWords.assignedOlder : homeWords.assignedFormer
    const text = say({ ...names, amount, day: formatShortDay(first, reader) })
    return [text, billText(spendingAmount, { envelope, reader })].join(' ').trim()
  }
  if (!isPaidInPart(transaction)) return homeWords.assigned(names)
  if (spendingAmount === 0) return homeWords.assignedEmpty({ ...names, rest })
  return homeWords.assignedPart({ ...names, amount, rest })
}

import type { Spending, Transaction } from '../api/budget-queries.ts'
import { coffer } from '../api/client.ts'
import { homeWords } from '../words/home.ts'

interface Assignment {
  path: { bankAccountId: string; transactionId: string }
  spendingId: string | null
}

/** Pays a transaction from an envelope, or from free-to-use. */
export function assign({ path, spendingId }: Assignment) {
  return coffer.updateTransaction({ path, body: { spendingId } })
}

/** Returns whether the envelope of a payment held less than it. */
export function isPaidInPart({ amount, spendingAmount = amount }: Transaction): boolean {
  return spendingAmount < amount
}

/** Returns what an assignment has done, in words: an envelope gives what it holds at most. */
export function assignedText(
  transaction: Transaction,
  { name }: Spending,
  money: (amount: number) => string,
): string {
  const { spendingAmount = 0, originalName } = transaction
  const payment = transaction.name ?? originalName
  if (!isPaidInPart(transaction)) return homeWords.assigned({ name: payment, envelope: name })
  if (spendingAmount === 0) return homeWords.assignedEmpty({ name: payment, envelope: name })
  return homeWords.assignedPart({
    name: payment,
    envelope: name,
    amount: money(spendingAmount),
  })
}

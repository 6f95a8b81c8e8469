import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { transactionWords as words } from '../../words/transactions.ts'

interface Known {
  envelopes: Pick<Spending, 'spendingId' | 'name'>[]
  money: (amount: number) => string
}

/**
 * Returns the text for a transaction without journal entries of its own. Imported transactions that
 * an envelope pays share one entry per file, so the text states the part of the envelope.
 */
export function noneText(
  { spendingId, spendingAmount = 0, refundSpendingId, refundAmount = 0 }: Transaction,
  { envelopes, money }: Known,
): string {
  const id = spendingId ?? refundSpendingId
  const envelope = envelopes.find((one) => one.spendingId === id)?.name
  if (envelope === undefined) return words.historyNone
  if (spendingAmount > 0) return words.historyTaken({ envelope, amount: money(spendingAmount) })
  if (refundAmount > 0) return words.historyReturned({ envelope, amount: money(refundAmount) })
  return words.historyEmpty({ envelope })
}

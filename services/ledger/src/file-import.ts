import { refused } from '@coffer/kit/errors'
import type { NewBalances } from './balance-changes.ts'
import type { BankAccount } from './bank-account.ts'
import type { FileStatement } from './ofx.ts'
import type { Transaction } from './transaction.ts'

/**
 * The transactions of a file, to be stored unless their identifier is known. They come in reverse
 * order of the file with ascending IDs, so that within a day its first row shows first
 * (`spec/ledger.md` 6.4). `transactionIds` has one ID per row, ascending.
 */
export function transactionsOf(
  { rows }: FileStatement,
  of: { bankAccount: BankAccount; transactionIds: readonly string[]; now: Date },
): Transaction[] {
  const { accountId, bankAccountId } = of.bankAccount
  return rows.toReversed().map((row, index) => {
    const transactionId = of.transactionIds[index]
    if (transactionId === undefined) {
      throw new Error(`no ID for row ${index} of ${rows.length}`)
    }
    return {
      accountId,
      transactionId,
      bankAccountId,
      ...row,
      spendingId: null,
      spendingAmount: null,
      createdBySpendingId: null,
      createdByFundingScheduleId: null,
      categories: [],
      category: null,
      merchantName: null,
      isPending: false,
      source: 'upload',
      createdAt: of.now,
      deletedAt: null,
    }
  })
}

/**
 * The balances that a file sets, and the instant that they hold for; null when it states none, or
 * older ones than those stored (`decisions.md` Ledger). What the file does not state stays. An
 * instant in the future counts as now.
 */
export function balancesToSet(
  account: BankAccount,
  { balances }: FileStatement,
  now: Date,
): { to: NewBalances; asOf: Date | null } | null {
  const { current, available, limit } = balances
  const to: NewBalances = {
    ...(available === null ? {} : { available }),
    ...(current === null ? {} : { current }),
    ...(limit === null ? {} : { limit }),
  }
  const asOf = balances.asOf !== null && balances.asOf > now ? now : balances.asOf
  const stored = account.balancesAsOf
  const isOlder = stored !== null && (asOf === null || asOf < stored)
  return Object.keys(to).length === 0 || isOlder ? null : { to, asOf: asOf ?? stored }
}

/** Refuses a file in another currency than the account's (`spec/ledger.md` 6.5). */
export function requireCurrencyOf(account: BankAccount, { currency }: FileStatement): void {
  if (currency !== account.currency) {
    throw refused(`The file is in ${currency}, the bank account in ${account.currency}`)
  }
}

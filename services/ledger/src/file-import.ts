import { refused } from '@coffer/kit/errors'
import { type NewBalances, setBalances } from './balance-changes.ts'
import { type BankAccount, requireManual, requireWritable } from './bank-account.ts'
import { openBook, type Settlement, settle } from './book.ts'
import type { FileBalances, FileStatement } from './statement.ts'
import type { Locked, Transaction } from './transaction.ts'

/**
 * The transactions of a file, to be stored unless their identifier is known. They come in reverse
 * order of the file with ascending IDs, so that within a day its first row shows first
 * (`spec/ledger.md` 6.4). `transactionIds` has one ID per row, ascending.
 */
export function transactionsOf(
  { rows }: FileStatement,
  of: { accountId: string; bankAccountId: string; transactionIds: readonly string[]; now: Date },
): Transaction[] {
  const { accountId, bankAccountId } = of
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
      source: 'upload',
      createdAt: of.now,
      deletedAt: null,
    }
  })
}

/**
 * What importing a file does to its bank account: the balances that it states. Refuses a file in
 * another currency than the account's (`spec/ledger.md` 6.5). `causeId` is the upload.
 */
export function settleFile(
  locked: Locked,
  { statement, causeId }: { statement: FileStatement; causeId: string },
): Settlement {
  const { bankAccount, operation } = locked
  requireWritable(bankAccount)
  requireManual(bankAccount)
  if (statement.currency !== bankAccount.currency) {
    throw refused(`The file is in ${statement.currency}, the account in ${bankAccount.currency}`)
  }
  const book = openBook(locked)
  const stated = balancesToSet(bankAccount, statement, operation.now)
  if (stated !== null) {
    setBalances(book, { to: stated.to, cause: 'upload', causeId })
    book.bankAccount.balancesAsOf = stated.asOf
  }
  return settle(book)
}

/** The instant that the balances of a file hold for; one in the future counts as now. */
export function heldAsOf({ asOf }: FileBalances, now: Date): Date | null {
  return asOf !== null && asOf > now ? now : asOf
}

/**
 * The balances that a file sets, and the instant that they hold for; null when it states none, or
 * older ones than those stored (`decisions.md` Ledger). What the file does not state stays.
 */
function balancesToSet(
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
  const asOf = heldAsOf(balances, now)
  const stored = account.balancesAsOf
  const isOlder = stored !== null && (asOf === null || asOf < stored)
  return Object.keys(to).length === 0 || isOlder ? null : { to, asOf: asOf ?? stored }
}

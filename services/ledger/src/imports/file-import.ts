import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { type BankAccount, requireManual } from '../book/bank-account.ts'
import type { JournalEntry } from '../book/journal.ts'
import { emptyTransaction, type Transaction } from '../book/transaction.ts'
import {
  endOperation,
  type Locked,
  type NewBalances,
  type Settlement,
  setBalances,
  startOperation,
} from '../money/operation.ts'
import { addSkipped, sumSkipped } from './formats/skipped-rows.ts'
import {
  type FileBalances,
  type FileRow,
  type ReceivedStatement,
  type SkippedRow,
  statesBalances,
} from './formats/statement.ts'

/**
 * Returns new transactions for the rows of a file, last row first, since lists show the largest ID
 * of a day first. Throws if `transactionIds`, which are ascending, has fewer IDs than `rows`.
 */
export function createTransactions(
  rows: readonly FileRow[],
  of: { accountId: string; bankAccountId: string; transactionIds: readonly string[]; now: Date },
): Transaction[] {
  return rows.toReversed().map(({ booking: _b, reuse: _r, corrects: _c, ...row }, index) => {
    const transactionId = of.transactionIds[index]
    if (transactionId === undefined) throw new Error(`no ID for row ${index} of ${rows.length}`)
    const { amount, date } = row
    const created = { transactionId, amount, date, source: 'upload', createdAt: of.now } as const
    return { ...emptyTransaction(of, created), ...row }
  })
}

/**
 * Returns all counts of an import (docs/files.md#counts) from its imported and joined rows;
 * `corrections` are rows of the file that correct stored rows.
 */
export function countsOf(
  { rows, skipped }: Pick<ReceivedStatement, 'rows' | 'skipped'>,
  done: { importedCount: bigint; joinedCount: bigint; corrections: readonly SkippedRow[] },
) {
  const { importedCount, joinedCount, corrections } = done
  const rowCount = BigInt(rows.length + sumSkipped(skipped))
  return {
    rowCount,
    importedCount,
    joinedCount,
    knownCount: BigInt(rows.length - corrections.length) - importedCount - joinedCount,
    skippedCount: rowCount - importedCount - joinedCount,
    skipped: addSkipped(skipped, corrections),
  }
}

/** Balances that a file sets, in minor units, and the instant for which the bank states them. */
export type StatedBalances = { to: NewBalances; asOf: Date }

/** The instants for which a file states its current (`asOf`) and its available balance. */
export type BalanceInstants = { asOf: Date; availableAsOf: Date }

/** Sums of bookings dated after the instant of the file's balance, in minor units. */
export const LaterBookings = z.object({ available: z.bigint(), current: z.bigint() })
export type LaterBookings = z.infer<typeof LaterBookings>

/** Returns the instants of a file's balances, at most `now`; null if the file states no instant. */
export function findInstants(
  { asOf, availableAsOf }: FileBalances,
  now: Date,
): BalanceInstants | null {
  const noLaterThanNow = (instant: Date) => (instant > now ? now : instant)
  if (asOf === null) return null
  return { asOf: noLaterThanNow(asOf), availableAsOf: noLaterThanNow(availableAsOf ?? asOf) }
}

/**
 * Returns whether an import sets the balances of its file: it must insert or join rows
 * (`newCount`), and the balances must be later than `balancesAsOf` (docs/files.md#balances).
 */
export function setsBalances(
  { balancesAsOf: known }: Pick<BankAccount, 'balancesAsOf'>,
  { balances, newCount }: { balances: FileBalances; newCount: bigint },
): boolean {
  const { asOf } = balances
  const isLater = asOf !== null && (known === null || asOf > known)
  return isLater && newCount > 0n && statesBalances(balances)
}

/** Returns the balances that an import sets (docs/files.md#balances); null if it sets none. */
export function balancesToSet(
  { bankAccount, operation }: Pick<Locked, 'bankAccount' | 'operation'>,
  { balances, newCount }: { balances: FileBalances; newCount: bigint },
): StatedBalances | null {
  const to: NewBalances = {
    available: balances.available ?? undefined,
    current: balances.current ?? undefined,
    limit: balances.limit ?? undefined,
  }
  const asOf = findInstants(balances, operation.now)?.asOf
  if (asOf === undefined) return null
  return setsBalances(bankAccount, { balances: { ...balances, asOf }, newCount })
    ? { to, asOf }
    : null
}

/** Adds the bookings after the balances' instant: the balances of the file do not include them. */
export function addLater({ to, asOf }: StatedBalances, later: LaterBookings): StatedBalances {
  const available = to.available === undefined ? undefined : to.available + later.available
  const current = to.current === undefined ? undefined : to.current + later.current
  return { to: { ...to, available, current }, asOf }
}

/** Adds the import's own journal entries after the balances' instants to the later bookings. */
export function withEntries(
  later: LaterBookings,
  { asOf, availableAsOf }: BalanceInstants,
  entries: readonly JournalEntry[],
): LaterBookings {
  const sumOf = (pot: 'available' | 'current', instant: Date) =>
    entries.reduce((sum, one) => {
      const isLater = one.pot === pot && one.date !== null && one.date > instant
      return isLater ? sum + one.delta : sum
    }, later[pot])
  return { available: sumOf('available', availableAsOf), current: sumOf('current', asOf) }
}

/** Returns the refusal of a file in another currency than the bank account's, else null. */
export function currencyFault(
  { currency }: Pick<ReceivedStatement, 'currency'>,
  { currency: own }: { currency: string },
): string | null {
  if (currency === own) return null
  return say('FILE_CURRENCY', { stated: currency, own })
}

/**
 * Returns the available balance after a file that states only the current balance: both change by
 * the same delta, which keeps pending payments and unused credit. Undefined without a current
 * balance.
 */
function moveAvailable(
  { availableBalance, currentBalance }: Locked['bankAccount'],
  { to: { current } }: StatedBalances,
): bigint | undefined {
  return current === undefined ? undefined : availableBalance + current - currentBalance
}

/**
 * Returns the bank account with the `stated` balances, if any, and the entries of upload `causeId`.
 * Throws `refused` if the bank account is archived, not manual or in another currency.
 */
export function settleFile(
  locked: Locked,
  {
    currency,
    stated,
    causeId,
  }: { currency: string; stated: StatedBalances | null; causeId: string },
): Settlement {
  const { bankAccount } = locked
  requireManual(bankAccount)
  const fault = currencyFault({ currency }, bankAccount)
  if (fault !== null) throw refused(fault)
  const started = startOperation(locked)
  if (stated !== null) {
    const available = stated.to.available ?? moveAvailable(bankAccount, stated)
    const to = { ...stated.to, available }
    setBalances(started, { to, cause: 'upload', causeId })
    started.bankAccount.balancesAsOf = stated.asOf
  }
  return endOperation(started)
}

import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { nextVersion } from '@coffer/kit/database/version'
import { movedTo } from '@coffer/kit/values/day'
import { sql } from 'slonik'
import { z } from 'zod'
import { emitTransactions } from './changed-rows.sql.ts'
import { lockMoney } from './money-state.sql.ts'

/** Number of transactions that one database transaction moves, while the bank account is locked. */
const pageSize = 1000

const Id = z.object({ bankAccountId: z.string() })
const Moving = z.object({
  timezone: z.string().nullable(),
  movedFrom: z.string().nullable(),
  movedAfter: z.string().nullable(),
  balancesAsOf: z.date().nullable(),
  version: z.bigint(),
})
const Dated = z.object({ id: z.string(), date: z.date() })
const DatedTransaction = Dated.extend({ isLive: z.boolean() })
const Provided = Dated.extend({ authorizedDate: z.date().nullable() })

/**
 * Begins to move an account to the timezone `to`: updates its settings, and stores the former
 * timezone in its bank accounts, whose dates are not moved yet. Idempotent. The caller holds the
 * lock that serializes the creation of bank accounts.
 */
export async function beginMove(
  tx: Tx,
  { accountId, to }: { accountId: string; to: string },
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE bank_accounts SET dates_timezone = settings.timezone FROM account_settings AS settings
    WHERE bank_accounts.account_id = ${accountId} AND settings.account_id = ${accountId}
      AND settings.timezone <> ${to} AND dates_timezone IS NULL`)
  await tx.query(sql.unsafe`
    UPDATE account_settings
    SET timezone = ${to}, identifier_timezone = coalesce(identifier_timezone, timezone)
    WHERE account_id = ${accountId} AND timezone <> ${to}`)
}

/** Stores the account's timezone in new bank accounts, if it has ever changed. */
export async function setTimezones(
  tx: Tx,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE bank_accounts SET dates_timezone = settings.timezone FROM account_settings AS settings
    WHERE bank_accounts.account_id = ${accountId} AND settings.account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})
      AND identifier_timezone IS NOT NULL`)
}

/** Returns a bank account whose dates are in another timezone than `to`; null if there is none. */
export function findUnmoved(
  { pool }: Database,
  { accountId, to }: { accountId: string; to: string },
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Id)`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND removed_at IS NULL AND dates_timezone <> ${to}
    ORDER BY bank_account_id LIMIT 1`)
}

/**
 * Moves the dates of the next 1,000 transactions of a bank account, and of their records, to the
 * timezone `to`: the calendar days stay. The last step moves the bank account's other dates.
 * Changes with dates are refused until then; each step raises the version.
 */
export async function moveDates(
  tx: Tx,
  key: BankAccountKey,
  { to, now }: { to: string; now: Date },
): Promise<void> {
  await lockMoney(tx, [key])
  const where = sql.fragment`account_id = ${key.accountId}
    AND bank_account_id = ${key.bankAccountId}`
  const found = await tx.one(sql.type(Moving)`
    SELECT dates_timezone AS timezone, moved_from AS "movedFrom", moved_after AS "movedAfter",
      balances_as_of AS "balancesAsOf", version FROM bank_accounts WHERE ${where}`)
  const from = found.movedFrom ?? found.timezone
  if (from === null || found.timezone === to) return
  const moved = (date: Date) => movedTo(date, { from, to })
  const page = await tx.any(sql.type(DatedTransaction)`
    SELECT transaction_id AS id, date, deleted_at IS NULL AS "isLive" FROM transactions
    WHERE ${where} AND transaction_id > ${found.movedAfter ?? ''}
    ORDER BY transaction_id LIMIT ${pageSize}`)
  await tx.query(sql.unsafe`
    UPDATE transactions SET date = new.date FROM ${datesOf(page, moved)} AS new (id, date)
    WHERE ${where} AND transaction_id = new.id`)
  const ids = page.flatMap(({ id, isLive }) => (isLive ? id : []))
  await emitTransactions(tx, { ...key, now }, { type: 'transaction.updated', ids })
  await moveRecords(tx, key, { ids: page.map(({ id }) => id), moved })
  const last = page[pageSize - 1]
  if (!last) {
    await moveUploads(tx, key, moved)
    await moveEnvelopes(tx, key, moved)
  }
  const { balancesAsOf } = found
  const asOf = last || balancesAsOf === null ? balancesAsOf : moved(balancesAsOf)
  await tx.query(sql.unsafe`
    UPDATE bank_accounts SET dates_timezone = ${last ? '' : to}, moved_from = ${last ? from : null},
      moved_after = ${last?.id ?? null}, balances_as_of = ${asOf?.toISOString() ?? null},
      version = ${nextVersion(found.version, now)}
    WHERE ${where}`)
}

async function moveRecords(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  { ids, moved }: { ids: readonly string[]; moved: (date: Date) => Date },
): Promise<void> {
  const where = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const records = await tx.any(sql.type(Provided)`
    SELECT provider_transaction_id AS id, date, authorized_date AS "authorizedDate"
    FROM provider_transactions
    WHERE ${where} AND transaction_id = ANY(${sql.array([...ids], 'text')})`)
  if (records.length === 0) return
  const rows = records.map(({ id, date, authorizedDate: authorized }) => {
    return [id, moved(date).toISOString(), authorized && moved(authorized).toISOString()]
  })
  await tx.query(sql.unsafe`
    UPDATE provider_transactions SET date = new.date, authorized_date = new.authorized_date
    FROM ${sql.unnest(rows, ['text', 'timestamptz', 'timestamptz'])}
      AS new (id, date, authorized_date)
    WHERE ${where} AND provider_transaction_id = new.id`)
}

async function moveUploads(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  moved: (date: Date) => Date,
): Promise<void> {
  const where = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const uploads = await tx.any(sql.type(Dated)`
    SELECT transaction_upload_id AS id, balances_as_of AS date FROM uploads
    WHERE ${where} AND balances_as_of IS NOT NULL`)
  if (uploads.length === 0) return
  await tx.query(sql.unsafe`
    UPDATE uploads SET balances_as_of = new.date FROM ${datesOf(uploads, moved)} AS new (id, date)
    WHERE ${where} AND transaction_upload_id = new.id`)
}

async function moveEnvelopes(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
  moved: (date: Date) => Date,
): Promise<void> {
  const where = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  for (const name of ['period_from', 'period_spent_on']) {
    const column = sql.identifier([name])
    const envelopes = await tx.any(sql.type(Dated)`
      SELECT spending_id AS id, ${column} AS date FROM envelopes
      WHERE ${where} AND ${column} IS NOT NULL`)
    if (envelopes.length === 0) continue
    await tx.query(sql.unsafe`
      UPDATE envelopes SET ${column} = new.date
      FROM ${datesOf(envelopes, moved)} AS new (id, date)
      WHERE ${where} AND spending_id = new.id`)
  }
}

function datesOf(
  rows: readonly z.infer<typeof Dated>[],
  moved: (date: Date) => Date,
): ReturnType<typeof sql.unnest> {
  const dates = rows.map(({ id, date }) => [id, moved(date).toISOString()])
  return sql.unnest(dates, ['text', 'timestamptz'])
}

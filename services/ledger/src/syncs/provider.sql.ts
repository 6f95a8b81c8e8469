import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { LinkKey } from '../accounts/link-change.ts'
import { readMoney } from '../money/money-state.sql.ts'
import { AccountRecord, type SyncedAccount } from './provider-account.ts'
import { ProviderRecord } from './provider-transaction.ts'

const Row = z.object({ bankAccountId: z.string() })

/** Returns a link's bank accounts, archived ones too, and their provider records, ordered by ID. */
export async function listSynced(
  connection: CommonQueryMethods,
  { accountId, linkId }: LinkKey,
): Promise<SyncedAccount[]> {
  const ids = await connection.anyFirst(sql.type(Row)`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND removed_at IS NULL
    ORDER BY bank_account_id`)
  if (ids.length === 0) return []
  const scopes = ids.map((bankAccountId) => ({ accountId, bankAccountId, readsProvider: true }))
  const states = await readMoney(connection, scopes)
  return scopes.flatMap((scope) => {
    const state = states.get(keyOf(scope))
    if (!state) return []
    return { bankAccount: state.bankAccount, record: state.accountRecord, aliases: state.aliases }
  })
}

/** Returns the provider records of bank accounts, keyed by bank account ID. */
export async function findAccountRecords(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<Map<string, AccountRecord>> {
  const found = await pool.any(sql.type(AccountRecord)`
    SELECT ${columnsOf(AccountRecord, { table: 'provider_accounts' })} FROM provider_accounts
    WHERE account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})`)
  return new Map(found.map((record) => [record.bankAccountId, record]))
}

const recordsOfTransaction = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  (row) => sql.type(ProviderRecord)`
    SELECT ${columnsOf(ProviderRecord, { table: 'record' })} FROM provider_transactions AS record
    WHERE account_id = ${row.accountId} AND bank_account_id = ${row.bankAccountId}
      AND transaction_id = ${row.transactionId}`,
)

const liveIds = prepare(
  ['accountId', 'bankAccountId', 'after', 'from', 'to', 'limit'],
  (page) => sql.type(ProviderRecord.pick({ providerTransactionId: true }))`
    SELECT provider_transaction_id AS "providerTransactionId" FROM provider_transactions
    WHERE account_id = ${page.accountId} AND bank_account_id = ${page.bankAccountId}
      AND provider_transaction_id > ${page.after} AND deleted_at IS NULL
      AND date BETWEEN ${page.from}::timestamptz AND ${page.to}::timestamptz
    ORDER BY provider_transaction_id LIMIT ${page.limit}`,
)

/**
 * Returns at most `limit` provider IDs of a bank account's live records by ascending ID, beginning
 * after the ID `after`. `from` and `to` are the first and the last instant; null is no bound.
 */
export function listLiveIds(
  { pool }: Database,
  key: BankAccountKey,
  page: { after: string; from: Date | null; to: Date | null; limit: number },
): Promise<readonly string[]> {
  const { accountId, bankAccountId } = key
  const from = page.from?.toISOString() ?? '-infinity'
  const to = page.to?.toISOString() ?? 'infinity'
  return pool.anyFirst(liveIds({ ...page, accountId, bankAccountId, from, to }))
}

/** Returns all provider records of a transaction, in no order. */
export function listRecords(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<readonly ProviderRecord[]> {
  return pool.any(recordsOfTransaction({ ...ids, accountId }))
}

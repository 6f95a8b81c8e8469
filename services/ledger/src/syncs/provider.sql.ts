import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Database, Queries } from '@coffer/kit/database/database'
import { prepare } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import type { LinkKey } from '../book/link.ts'
import { ProviderRecord } from '../book/provider-record.ts'
import { readMoney } from '../money/money-state.sql.ts'
import type { SyncedAccount } from './provider-account.ts'

const Row = z.object({ bankAccountId: z.string() })

/** Returns a link's bank accounts, archived ones too, and their provider records, ordered by ID. */
export async function listSynced(
  connection: Queries,
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

import type { Database } from '@coffer/kit/database/database'
import { entityOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { dayMs } from '@coffer/kit/values/time'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { ProviderRecord } from '../book/provider-record.ts'
import { Transaction } from '../book/transaction.ts'
import type { SyncedTransaction } from '../syncs/provider-transaction.ts'
import { postingDaysMax } from '../syncs/sync-match.ts'

const Json = z.record(z.string(), z.unknown())
const Row = z.object({ transaction: Json, records: z.array(Json) })

const pendingMax = 50

/** Selects the live or the deleted pending transactions; each of the two has a partial index. */
const pendingOf = (day: Record<string, string>, isDeleted: FragmentSqlToken) => sql.fragment`(
  SELECT * FROM transactions
  WHERE account_id = ${day.accountId ?? ''} AND bank_account_id = ${day.bankAccountId ?? ''}
    AND is_pending AND ${isDeleted} AND source IN ('aggregator', 'feed')
    AND date BETWEEN ${day.from ?? ''}::timestamptz AND ${day.to ?? ''}::timestamptz
  ORDER BY date DESC, transaction_id DESC LIMIT ${sql.literalValue(`${pendingMax}`)}::int)`

const pendingNear = prepare(
  ['accountId', 'bankAccountId', 'from', 'to'],
  (day) => read(Row)`
    SELECT to_jsonb(one) AS transaction, ARRAY(
      SELECT to_jsonb(record) FROM provider_transactions AS record
      WHERE record.account_id = one.account_id AND record.bank_account_id = one.bank_account_id
        AND record.transaction_id = one.transaction_id) AS records
    FROM (${pendingOf(day, sql.fragment`deleted_at IS NULL`)}
      UNION ALL ${pendingOf(day, sql.fragment`deleted_at IS NOT NULL`)}) AS one`,
)

/**
 * Returns at most 100 pending transactions, removed ones too, which a bank may post as a
 * transaction of this day.
 */
export async function listPendingNear(
  { pool }: Database,
  { accountId, bankAccountId, date }: Pick<Transaction, 'accountId' | 'bankAccountId' | 'date'>,
): Promise<SyncedTransaction[]> {
  const from = new Date(date.getTime() - (postingDaysMax + 1) * dayMs).toISOString()
  const to = new Date(date.getTime() + 2 * dayMs).toISOString()
  const rows = await pool.any(pendingNear({ accountId, bankAccountId, from, to }))
  return rows.map(({ transaction, records }) => ({
    transaction: entityOf(Transaction, transaction),
    records: records.map((one) => entityOf(ProviderRecord, one)),
  }))
}

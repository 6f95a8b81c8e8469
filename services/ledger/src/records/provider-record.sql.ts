import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { AccountRecord, ProviderRecord } from '../book/provider-record.ts'

/** Returns the provider records of bank accounts, keyed by bank account ID. */
export async function findAccountRecords(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<Map<string, AccountRecord>> {
  const found = await pool.any(read(AccountRecord)`
    SELECT ${columnsOf(AccountRecord, { table: 'provider_accounts' })} FROM provider_accounts
    WHERE account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})`)
  return new Map(found.map((record) => [record.bankAccountId, record]))
}

const recordsOfTransaction = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  (row) => read(ProviderRecord)`
    SELECT ${columnsOf(ProviderRecord, { table: 'record' })} FROM provider_transactions AS record
    WHERE account_id = ${row.accountId} AND bank_account_id = ${row.bankAccountId}
      AND transaction_id = ${row.transactionId}`,
)

/** Returns all provider records of a transaction, in no order. */
export function listRecords(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<readonly ProviderRecord[]> {
  return pool.any(recordsOfTransaction({ ...ids, accountId }))
}

/** Returns the provider records of transactions, by transaction ID. */
export async function listRecordsOf(
  { pool }: Database,
  accountId: string,
  transactions: readonly { bankAccountId: string; transactionId: string }[],
): Promise<Map<string, ProviderRecord[]>> {
  if (transactions.length === 0) return new Map()
  const found = await pool.any(sql.type(ProviderRecord)`
    SELECT ${columnsOf(ProviderRecord, { table: 'provider_transactions' })}
    FROM unnest(${sql.array(
      transactions.map((one) => one.bankAccountId),
      'text',
    )}, ${sql.array(
      transactions.map((one) => one.transactionId),
      'text',
    )}) AS wanted(bank_account_id, transaction_id)
      CROSS JOIN LATERAL (
        SELECT * FROM provider_transactions AS one
        WHERE one.account_id = ${accountId} AND one.bank_account_id = wanted.bank_account_id
          AND one.transaction_id = wanted.transaction_id OFFSET 0
      ) AS provider_transactions`)
  return Map.groupBy(found, ({ transactionId }) => transactionId)
}

import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { Envelope } from './envelope.ts'
import { joined, nullable, part } from './joined.ts'
import { records, under } from './money.sql.ts'
import { type MoneyWrite, prepareSave } from './money-save.sql.ts'
import { ProviderRecord, type SyncedTransaction } from './provider-transaction.ts'
import { Transaction } from './transaction.ts'

/** Synced transactions of a bank account that a batch may be about, and their envelopes. */
export interface KnownTransactions {
  known: SyncedTransaction[]
  envelopes: Envelope[]
}

/** Which transactions are looked for. */
export interface KnownScope {
  accountId: string
  bankAccountId: string
  /** IDs that the provider gave them, or that it has named as what they were while pending. */
  providerIds: readonly string[]
  /** Also those that look like one of these and are pending, or of another provider account. */
  alike: { amounts: readonly bigint[]; from: Date; to: Date; providerAccountId: string } | null
}

/** Transactions that look alike are read up to here: a batch cannot be about more of them. */
const alikeMax = 5000

const columns = columnsOf(ProviderRecord, { table: 'record' })
const KnownRow = z.object({
  ...ProviderRecord.shape,
  ...nullable(Transaction.shape, 'transaction.'),
  ...nullable(Envelope.shape, 'envelope.'),
})

const knownStatement = prepare(
  [
    ...(['accountId', 'bankAccountId', 'providerIds'] as const),
    ...(['amounts', 'from', 'to', 'providerAccountId', 'limit'] as const),
  ],
  (row) => {
    const own = under('provider_transactions', row)
    return sql.type(KnownRow)`
      WITH found AS (
        SELECT transaction_id FROM provider_transactions
        WHERE ${own} AND provider_transaction_id = ANY(${row.providerIds}::text[])
        UNION
        SELECT transaction_id FROM provider_transactions
        WHERE ${own} AND pending_provider_transaction_id = ANY(${row.providerIds}::text[])
        UNION (
          SELECT transaction_id FROM provider_transactions
          WHERE ${own} AND amount = ANY(${row.amounts}::bigint[])
            AND date BETWEEN ${row.from}::timestamptz AND ${row.to}::timestamptz
            AND (is_pending OR provider_account_id <> ${row.providerAccountId})
          LIMIT ${row.limit}::int
        )
      )
      SELECT ${columns}, ${columnsOf(Transaction, { table: 'one', prefix: 'transaction.' })},
        ${columnsOf(Envelope, { table: 'envelope', prefix: 'envelope.' })}
      FROM found
      JOIN provider_transactions AS record ON ${under('record', row)}
        AND record.transaction_id = found.transaction_id
      JOIN transactions AS one ON ${under('one', row)}
        AND one.transaction_id = found.transaction_id
      LEFT JOIN envelopes AS envelope ON ${under('envelope', row)}
        AND envelope.spending_id = one.spending_id AND envelope.closed_at IS NULL`
  },
)

/** Reads what a batch may be about; the bank account must be locked in this transaction. */
export async function readKnown(tx: Tx, scope: KnownScope): Promise<KnownTransactions> {
  const { alike, ...ids } = scope
  const never = { amounts: [], from: new Date(0), to: new Date(0), providerAccountId: '' }
  const { from, to, ...looks } = alike ?? never
  const days = { from: from.toISOString(), to: to.toISOString() }
  const rows = await tx.any(knownStatement({ ...ids, ...looks, ...days, limit: alikeMax }))
  const known = new Map<string, SyncedTransaction & { records: ProviderRecord[] }>()
  const envelopes = new Map<string, Envelope>()
  for (const row of rows) {
    const record = part(ProviderRecord, row, '')
    const transaction = joined(Transaction, row, 'transaction.')
    const envelope = joined(Envelope, row, 'envelope.')
    if (transaction) {
      const synced = known.get(record.transactionId) ?? { transaction, records: [] }
      known.set(record.transactionId, synced)
      synced.records.push(record)
    }
    if (envelope) envelopes.set(envelope.spendingId, envelope)
  }
  return { known: [...known.values()], envelopes: [...envelopes.values()] }
}

const saveStatement = prepareSave(
  ['records'],
  (row, saves) => sql.unsafe`
    WITH recorded AS (
      INSERT INTO provider_transactions (${columnNames(ProviderRecord)})
      SELECT ${columnNames(ProviderRecord)} FROM ${records('provider_transactions', row.records)}
      ON CONFLICT (account_id, bank_account_id, provider_transaction_id) DO UPDATE SET
        provider_account_id = excluded.provider_account_id,
        pending_provider_transaction_id = excluded.pending_provider_transaction_id,
        amount = excluded.amount, currency = excluded.currency, date = excluded.date,
        authorized_date = excluded.authorized_date, name = excluded.name,
        merchant_name = excluded.merchant_name, categories = excluded.categories,
        category = excluded.category, is_pending = excluded.is_pending, raw = excluded.raw,
        deleted_at = excluded.deleted_at
    ), ${saves()}`,
)

/**
 * Saves what a sync has changed, in one statement. Records that have ended go first: each
 * transaction has one live record at most, at every moment.
 */
export async function saveSync(
  tx: Tx,
  { records: changed, ...write }: MoneyWrite & { records: readonly ProviderRecord[] },
): Promise<void> {
  const ended = changed.filter(({ deletedAt }) => deletedAt !== null)
  const live = changed.filter(({ deletedAt }) => deletedAt === null)
  await tx.query(saveStatement(write, { records: recordsOf([...ended, ...live]) }, []))
}

const recordsOfTransaction = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  (row) => sql.type(ProviderRecord)`
    SELECT ${columns} FROM provider_transactions AS record
    WHERE ${under('record', row)} AND record.transaction_id = ${row.transactionId}`,
)

/** Every record of a transaction, in no order. */
export function listRecords(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<readonly ProviderRecord[]> {
  return pool.any(recordsOfTransaction({ ...ids, accountId }))
}

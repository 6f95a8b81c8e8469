import { sql } from 'slonik'
import { z } from 'zod'
import { type BankAccountKey, inKeyOrder, keyOf } from './aggregate-key.ts'
import type { Transaction } from './database.ts'
import { recordsOf } from './rows.ts'
import { prepare } from './statement.ts'

/** SQL condition: row `one` belongs to the aggregate whose key is in row `scope`. */
export const inScope = sql.fragment`one.account_id = scope.account_id
      AND one.bank_account_id = scope.bank_account_id`

/** A row of any table as JSON, with its kind of entity and its aggregate's key. */
export const FoundRow = z
  .object({
    kind: z.string(),
    record: z.looseObject({ account_id: z.string(), bank_account_id: z.string() }),
  })
  .transform(({ kind, record }) => {
    const { account_id: accountId, bank_account_id: bankAccountId } = record
    return { kind, record, key: keyOf({ accountId, bankAccountId }) }
  })

/**
 * Creates the SELECT … FOR NO KEY UPDATE that locks aggregates in key order. Rows must be read in a
 * later statement: rows read before the lock may be out of date.
 */
export function locking(
  table: string,
): (tx: Transaction, keys: readonly BankAccountKey[]) => Promise<{ rowCount: number }> {
  const statement = prepare(
    ['keys'],
    ({ keys }) => sql.unsafe`
    SELECT 1 FROM jsonb_to_recordset(${keys}::jsonb) AS scope(account_id text, bank_account_id text)
    CROSS JOIN LATERAL (
      SELECT 1 FROM ${sql.identifier([table])} AS one WHERE ${inScope} LIMIT 1 FOR NO KEY UPDATE
    ) AS locked`,
  )
  return (tx, keys) => tx.query(statement({ keys: keyRecords(keys) }))
}

/** Returns keys as a JSON array for `jsonb_to_recordset`, sorted, without repetitions. */
export function keyRecords(keys: readonly BankAccountKey[]): string {
  const ordered = inKeyOrder(keys, (key) => key)
  return recordsOf(ordered.map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId })))
}

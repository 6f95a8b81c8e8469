import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { BulkOperation } from '../book/bulk-operation.ts'

/** Returns a bulk operation of a bank account whose link is not deleted; null without one. */
export function findBulkOperation(
  { pool }: Database,
  accountId: string,
  operationId: string,
): Promise<BulkOperation | null> {
  return pool.maybeOne(sql.type(BulkOperation)`
    SELECT ${columnsOf(BulkOperation, { table: 'bulk_operations' })}
    FROM bulk_operations JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE account_id = ${accountId} AND operation_id = ${operationId} AND removed_at IS NULL`)
}

/** Deletes at most `limit` bulk operations that were made before an instant, of all accounts. */
export async function deleteBulkOperations(
  { pool }: Database,
  before: Date,
  limit: number,
): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM bulk_operations WHERE (account_id, operation_id) IN (
      SELECT account_id, operation_id FROM bulk_operations
      WHERE created_at < ${before.toISOString()} ORDER BY created_at LIMIT ${limit})`)
}

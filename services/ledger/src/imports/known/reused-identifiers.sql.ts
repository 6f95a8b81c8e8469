import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../book/upload-key.ts'
import { joinedRows } from '../joining/joined-rows.sql.ts'
import type { StoredRow } from './reused-identifiers.ts'

const Stored = z.object({
  identifier: z.string(),
  amount: z.bigint(),
  date: z.date(),
  originalName: z.string(),
  originalMerchantName: z.string(),
  isPending: z.boolean(),
})

/**
 * Returns the stored rows with these identifiers, including soft-deleted and joined rows. OFFSET 0
 * forces an index search per identifier: before Postgres has statistics about a recent large
 * import, its planner would compare every transaction with every identifier.
 */
export async function listStoredRows(
  tx: Tx,
  { accountId, bankAccountId }: Pick<UploadKey, 'accountId' | 'bankAccountId'>,
  identifiers: readonly string[],
): Promise<Map<string, StoredRow>> {
  if (identifiers.length === 0) return new Map()
  const rows = await tx.any(sql.type(Stored)`
    SELECT stored.* FROM unnest(${sql.array(identifiers, 'text')}) AS wanted (identifier)
    CROSS JOIN LATERAL (
      SELECT upload_identifier AS identifier, amount, date, original_name AS "originalName",
        original_merchant_name AS "originalMerchantName", is_pending AS "isPending"
      FROM transactions
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND upload_identifier = wanted.identifier
      UNION ALL
      SELECT upload_identifier, amount, date, original_name, original_merchant_name,
        false
      FROM ${joinedRows} AS joined
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND upload_identifier = wanted.identifier OFFSET 0
    ) AS stored`)
  return new Map(rows.map(({ identifier, ...row }) => [identifier, row]))
}

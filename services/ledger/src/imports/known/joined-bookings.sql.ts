import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../book/upload-key.ts'
import { joinedRows } from '../joining/joined-rows.sql.ts'
import type { StoredBooking } from './joined-bookings.ts'

const Stored = z.object({
  identifier: z.string(),
  whole: z.bigint().nullable(),
  parts: z.bigint().nullable(),
})

/**
 * Returns the stored bookings among the given identifiers: as one row, or in parts (suffixes `/1`,
 * `/2`, … without a gap). Includes soft-deleted and joined rows.
 */
export async function listStoredBookings(
  tx: Tx,
  { accountId, bankAccountId }: Pick<UploadKey, 'accountId' | 'bankAccountId'>,
  identifiers: readonly string[],
): Promise<Map<string, StoredBooking>> {
  if (identifiers.length === 0) return new Map()
  const amountOf = (identifier: ReturnType<typeof sql.fragment>) => sql.fragment`
    SELECT amount FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND upload_identifier = ${identifier}
    UNION ALL SELECT amount FROM ${joinedRows} AS joined
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND upload_identifier = ${identifier} LIMIT 1`
  const stored = await tx.any(sql.type(Stored)`
    WITH RECURSIVE asked AS (
      SELECT unnest(${sql.array(identifiers, 'text')}) AS identifier
    ), parts AS (
      SELECT identifier, 1 AS number, part.amount
      FROM asked, LATERAL (${amountOf(sql.fragment`identifier || '/1'`)}) AS part
      UNION ALL
      SELECT identifier, number + 1, part.amount
      FROM parts, LATERAL (${amountOf(sql.fragment`identifier || '/' || (number + 1)`)}) AS part
    ), sums AS (
      SELECT identifier, sum(amount)::bigint AS parts FROM parts GROUP BY identifier
    ), wholes AS (
      SELECT identifier, (${amountOf(sql.fragment`identifier`)}) AS whole FROM asked
    )
    SELECT identifier, whole, parts FROM wholes LEFT JOIN sums USING (identifier)
    WHERE whole IS NOT NULL OR parts IS NOT NULL`)
  return new Map(stored.map((one) => [one.identifier, one]))
}

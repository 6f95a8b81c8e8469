import type { Database, Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Consumed = z.object({ isConsumed: z.boolean() })

export async function insertBetaCode(
  { pool }: Database,
  { codeHash, expiresAt }: { codeHash: Buffer; expiresAt: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO beta_codes (code_hash, expires_at)
    VALUES (${sql.binary(codeHash)}, ${sql.timestamp(expiresAt)})`)
}

/** Whether the code would let somebody register now. */
export async function isBetaCode(
  { pool }: Database,
  { codeHash, now }: { codeHash: Buffer; now: Date },
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM beta_codes
    WHERE code_hash = ${sql.binary(codeHash)} AND expires_at > ${sql.timestamp(now)}`)
}

/** Uses a code up; false where there is none, or it has expired. */
export async function consumeBetaCode(
  tx: Transaction,
  { codeHash, now }: { codeHash: Buffer; now: Date },
): Promise<boolean> {
  const consumed = await tx.maybeOne(sql.type(Consumed)`
    DELETE FROM beta_codes
    WHERE code_hash = ${sql.binary(codeHash)} AND expires_at > ${sql.timestamp(now)}
    RETURNING true AS "isConsumed"`)
  return consumed !== null
}

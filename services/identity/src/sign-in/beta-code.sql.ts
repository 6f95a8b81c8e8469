import type { Database, Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/** Stores the hash of a beta code, which is valid before `expiresAt`. */
export async function insertBetaCode(
  { pool }: Database,
  { codeHash, expiresAt }: { codeHash: Buffer; expiresAt: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO beta_codes (code_hash, expires_at)
    VALUES (${sql.binary(codeHash)}, ${sql.timestamp(expiresAt)})`)
}

/** Returns whether the beta code exists and has not expired; does not consume the code. */
export async function isBetaCode(
  { pool }: Database,
  { codeHash, now }: { codeHash: Buffer; now: Date },
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM beta_codes
    WHERE code_hash = ${sql.binary(codeHash)} AND expires_at > ${sql.timestamp(now)}`)
}

/** Consumes a beta code; returns false if the code does not exist or has expired. */
export async function consumeBetaCode(
  tx: Transaction,
  { codeHash, now }: { codeHash: Buffer; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    DELETE FROM beta_codes
    WHERE code_hash = ${sql.binary(codeHash)} AND expires_at > ${sql.timestamp(now)}`)
  return rowCount === 1
}

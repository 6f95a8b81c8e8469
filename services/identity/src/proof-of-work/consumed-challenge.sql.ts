import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/** Consumes a proof-of-work challenge; returns false if it was consumed before. */
export async function consumeChallenge(
  { pool }: Database,
  { challengeHash, expiresAt }: { challengeHash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    INSERT INTO spent_challenges (challenge_hash, expires_at)
    VALUES (${sql.binary(challengeHash)}, ${sql.timestamp(expiresAt)})
    ON CONFLICT DO NOTHING`)
  return rowCount === 1
}

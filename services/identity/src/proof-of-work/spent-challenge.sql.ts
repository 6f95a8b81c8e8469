import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Spent = z.object({ isFirst: z.boolean() })

/** Uses a challenge up; false where it was used before. */
export async function spendChallenge(
  { pool }: Database,
  { challengeHash, expiresAt }: { challengeHash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const spent = await pool.maybeOne(sql.type(Spent)`
    INSERT INTO spent_challenges (challenge_hash, expires_at)
    VALUES (${sql.binary(challengeHash)}, ${sql.timestamp(expiresAt)})
    ON CONFLICT DO NOTHING RETURNING true AS "isFirst"`)
  return spent !== null
}

import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Consumed = z.object({ isFirst: z.boolean() })

/** Consumes a challenge; returns false where it was consumed before. */
export async function consumeChallenge(
  { pool }: Database,
  { challengeHash, expiresAt }: { challengeHash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const consumed = await pool.maybeOne(sql.type(Consumed)`
    INSERT INTO spent_challenges (challenge_hash, expires_at)
    VALUES (${sql.binary(challengeHash)}, ${sql.timestamp(expiresAt)})
    ON CONFLICT DO NOTHING RETURNING true AS "isFirst"`)
  return consumed !== null
}

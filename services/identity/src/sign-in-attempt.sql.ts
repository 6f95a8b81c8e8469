import type { Database, Transaction } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'

// Each attempt clears away a few that no longer count, so the table stays as small as a minute.
const staleMax = 10

/** Counts one more attempt and returns the count within the running minute, this one included. */
export async function countAttempt(
  { pool }: Database,
  { emailHash, now, endsAt }: { emailHash: Buffer; now: Date; endsAt: Date },
): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ attempts: z.number() }))`
    WITH stale AS (
      DELETE FROM sign_in_attempts WHERE email_hash = ANY(ARRAY(
        SELECT email_hash FROM sign_in_attempts
        WHERE ends_at <= ${sql.timestamp(now)} AND email_hash <> ${sql.binary(emailHash)}
        ORDER BY ends_at LIMIT ${staleMax} FOR UPDATE SKIP LOCKED))
    )
    INSERT INTO sign_in_attempts AS running (email_hash, attempts, ends_at)
    VALUES (${sql.binary(emailHash)}, 1, ${sql.timestamp(endsAt)})
    ON CONFLICT (email_hash) DO UPDATE SET
      attempts = CASE WHEN running.ends_at <= ${sql.timestamp(now)} THEN 1
        ELSE running.attempts + 1 END,
      ends_at = CASE WHEN running.ends_at <= ${sql.timestamp(now)} THEN excluded.ends_at
        ELSE running.ends_at END
    RETURNING attempts`)
}

/** Only failures count: a sign-in that succeeds takes the attempts before it back. */
export async function forgetAttempts(tx: Transaction, emailHash: Buffer): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM sign_in_attempts WHERE email_hash = ${sql.binary(emailHash)}`)
}

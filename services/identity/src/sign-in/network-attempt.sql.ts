import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Counted = z.object({ isAdmitted: z.boolean(), endsAt: z.date() })

interface NetworkAttempt {
  networkHash: Buffer
  now: Date
  /** Number of attempts that a network may make in `windowMs`. */
  max: number
  windowMs: number
}

/**
 * Counts an attempt of a network (fixed-window rate limit); returns the end of the window, and
 * whether the attempt is within the limit. An attempt beyond it is not counted.
 */
export async function countNetworkAttempt(
  { pool }: Database,
  { networkHash, now, max, windowMs }: NetworkAttempt,
): Promise<z.infer<typeof Counted>> {
  const hash = sql.binary(networkHash)
  const endsAt = sql.timestamp(new Date(now.getTime() + windowMs))
  const isOver = sql.fragment`running.ends_at <= ${sql.timestamp(now)} OR running.attempts = 0`
  return pool.one(sql.type(Counted)`
    WITH counted AS (
      INSERT INTO network_attempts AS running (network_hash, attempts, ends_at)
      VALUES (${hash}, 1, ${endsAt})
      ON CONFLICT (network_hash) DO UPDATE SET
        attempts = CASE WHEN ${isOver} THEN 1 ELSE running.attempts + 1 END,
        ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE running.ends_at END
        WHERE ${isOver} OR running.attempts < ${max}
      RETURNING ends_at
    )
    SELECT EXISTS (SELECT FROM counted) AS "isAdmitted",
      coalesce((SELECT ends_at FROM counted),
        (SELECT ends_at FROM network_attempts WHERE network_hash = ${hash}),
        ${endsAt}) AS "endsAt"`)
}

/** Subtracts an attempt from the window that ends at `endsAt`; does nothing after its end. */
export async function releaseNetworkAttempt(
  { pool }: Database,
  { networkHash, endsAt }: { networkHash: Buffer; endsAt: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE network_attempts SET attempts = attempts - 1
    WHERE network_hash = ${sql.binary(networkHash)} AND ends_at = ${sql.timestamp(endsAt)}
      AND attempts > 0`)
}

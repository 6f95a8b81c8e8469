import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'

const Running = z.object({ attempts: z.number(), endsAt: z.date() })

interface Attempt {
  subjectHash: Buffer
  now: Date
  /** Number of attempts that a subject may make in `windowMs`. */
  max: number
  windowMs: number
}

/**
 * Counts an attempt before it runs (fixed-window rate limit), so that concurrent guesses cannot
 * exceed the limit. Throws refused (429) beyond `max` attempts in the window.
 */
export async function admitAttempt(
  connection: Pick<Transaction, 'one'>,
  attempt: Attempt,
): Promise<void> {
  const endsAt = await countAttempt(connection, attempt)
  if (endsAt === null) return
  const retryAfterSeconds = Math.ceil((endsAt.getTime() - attempt.now.getTime()) / 1000)
  throw refused(say('TOO_MANY_ATTEMPTS'), { status: 429, retryAfterSeconds })
}

/** Counts an attempt; returns null within the limit, otherwise the end of the window. */
export async function countAttempt(
  connection: Pick<Transaction, 'one'>,
  { subjectHash, now, max, windowMs }: Attempt,
): Promise<Date | null> {
  const endsAt = new Date(now.getTime() + windowMs)
  const running = await connection.one(sql.type(Running)`
    INSERT INTO sign_in_attempts AS running (subject_hash, attempts, ends_at)
    VALUES (${sql.binary(subjectHash)}, 1, ${sql.timestamp(endsAt)})
    ON CONFLICT (subject_hash) DO UPDATE SET
      attempts = CASE WHEN running.ends_at <= ${sql.timestamp(now)} THEN 1
        ELSE running.attempts + 1 END,
      ends_at = CASE WHEN running.ends_at <= ${sql.timestamp(now)} THEN excluded.ends_at
        ELSE running.ends_at END
    RETURNING attempts, ends_at AS "endsAt"`)
  return running.attempts <= max ? null : running.endsAt
}

/** Deletes an attempt counter after a success, so that only failures count. */
export async function deleteAttempts(tx: Transaction, subjectHash: Buffer): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM sign_in_attempts WHERE subject_hash = ${sql.binary(subjectHash)}`)
}

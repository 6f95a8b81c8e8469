import type { Queries } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { dayMs } from '@coffer/kit/values/time'
import { sql } from 'slonik'
import { z } from 'zod'
import { dayOf, minuteMs, minuteOf } from './call-limit.ts'

/**
 * Rate limits per minute and per day (UTC) for requests of an account that call the aggregator
 * (docs/limits.md), because the aggregator's limits apply to all accounts together. The limits of
 * callbacks, the requests after Plaid Link, are the lowest: each stores a link, which stays for a
 * day if it fails.
 */
const limits = {
  'link tokens': { minuteMax: 30, dayMax: 300 },
  callbacks: { minuteMax: 20, dayMax: 100 },
  institutions: { minuteMax: 60, dayMax: 1_000 },
} as const

/** A request to count. */
interface AccountRequest {
  accountId: string
  kind: keyof typeof limits
  now: Date
}

const Counts = z.object({ day: z.date(), dayCount: z.number() })

/**
 * Counts a request before it calls the aggregator (fixed windows). Throws refused (429) beyond a
 * limit, and notFound for an account that is being deleted.
 */
export async function admitRequest(
  { pool }: { pool: Queries },
  { accountId, kind, now }: AccountRequest,
): Promise<void> {
  const { minuteMax, dayMax } = limits[kind]
  const counted = await pool.maybeOne(sql.type(Counts)`
    INSERT INTO account_requests AS old (account_id, kind, minute, minute_count, day, day_count)
    SELECT ${accountId}, ${kind}, ${minuteOf(now).toISOString()}::timestamptz, 1,
      ${dayOf(now).toISOString()}::timestamptz, 1
    WHERE NOT EXISTS (SELECT FROM deleted_accounts WHERE account_id = ${accountId})
    ON CONFLICT (account_id, kind) DO UPDATE SET
      minute = greatest(old.minute, excluded.minute),
      minute_count = CASE WHEN excluded.minute > old.minute THEN 1 ELSE old.minute_count + 1 END,
      day = greatest(old.day, excluded.day),
      day_count = CASE WHEN excluded.day > old.day THEN 1 ELSE old.day_count + 1 END
    WHERE (excluded.minute > old.minute OR old.minute_count < ${minuteMax})
      AND (excluded.day > old.day OR old.day_count < ${dayMax})
    RETURNING day, day_count AS "dayCount"`)
  if (counted) return
  const counts = await pool.maybeOne(sql.type(Counts)`
    SELECT day, day_count AS "dayCount" FROM account_requests
    WHERE account_id = ${accountId} AND kind = ${kind}`)
  if (!counts) throw notFound('account')
  const isDay = counts.dayCount >= dayMax && counts.day >= dayOf(now)
  const endsAt = isDay ? dayOf(now).getTime() + dayMs : minuteOf(now).getTime() + minuteMs
  const [max, time] = isDay ? [dayMax, 'day'] : [minuteMax, 'minute']
  throw refused(say('PLAID_CALLS_MAX', { max, kind, time }), {
    status: 429,
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now.getTime()) / 1_000)),
  })
}

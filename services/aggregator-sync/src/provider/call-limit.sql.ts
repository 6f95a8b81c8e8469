import type { Database, Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { dayOf, type LinkKey, minuteOf, type Refusal, refusalOf } from './call-limit.ts'

/** A call before it is sent: its endpoint, and its item; null for calls without an item. */
export interface PlannedCall {
  path: string
  clientMax: number
  item: (LinkKey & { itemMax: number; holder: string; heldUntil: Date }) | null
  now: Date
}

/** `limitedInRow`: number of answers 429 since the last answer of another status. */
export type Permission = { kind: 'permitted'; limitedInRow: number } | Refusal

/**
 * Counts a call and leases its item, both or neither: over all replicas, one call of an item is in
 * flight at once. Lease instead of a lock: it needs no connection during the call, and expires if
 * the process ends.
 */
export async function permitCall(database: Database, call: PlannedCall): Promise<Permission> {
  let refusal: Refusal | null = null
  const undo = new Error('the call is not permitted')
  try {
    return await database.transaction(async (tx) => {
      const taken = call.item && (await takeItem(tx, call, call.item))
      if (call.item && !taken) {
        refusal = await findRefusal(tx, call)
        throw undo
      }
      const counted = await countCall(tx, call)
      if (counted) return { kind: 'permitted', ...(taken ?? counted) }
      refusal = await findRefusal(tx, { ...call, item: null })
      throw undo
    })
  } catch (error) {
    if (error === undo && refusal) return refusal
    throw error
  }
}

const Limited = z.object({ limitedInRow: z.number() })

/** Leases an item that is free and below its limit, and counts the call; null otherwise. */
function takeItem(
  tx: Transaction,
  { path, now }: PlannedCall,
  item: NonNullable<PlannedCall['item']>,
): Promise<z.infer<typeof Limited> | null> {
  const at = now.toISOString()
  // Concurrent calls may be counted in another order than their instants, so a call never moves the
  // stored minute or day back.
  return tx.maybeOne(sql.type(Limited)`
    INSERT INTO item_calls AS old (account_id, link_id, holder, held_until, minute, minute_counts,
      day, day_count, total_count)
    VALUES (${item.accountId}, ${item.linkId}, ${item.holder}, ${item.heldUntil.toISOString()},
      ${minuteOf(now).toISOString()}, jsonb_build_object(${path}::text, 1),
      ${dayOf(now).toISOString()}, 1, 1)
    ON CONFLICT (account_id, link_id) DO UPDATE SET
      holder = excluded.holder,
      held_until = excluded.held_until,
      minute = greatest(old.minute, excluded.minute),
      minute_counts = CASE WHEN excluded.minute > old.minute THEN excluded.minute_counts
        ELSE old.minute_counts || jsonb_build_object(
          ${path}::text, coalesce((old.minute_counts ->> ${path})::int, 0) + 1) END,
      day = greatest(old.day, excluded.day),
      day_count = CASE WHEN excluded.day > old.day THEN 1 ELSE old.day_count + 1 END,
      total_count = old.total_count + 1
    WHERE (old.holder IS NULL OR old.held_until <= ${at})
      AND (old.limited_until IS NULL OR old.limited_until <= ${at})
      AND (excluded.minute > old.minute
        OR coalesce((old.minute_counts ->> ${path})::int, 0) < ${item.itemMax})
    RETURNING limited_in_row AS "limitedInRow"`)
}

/** Counts the call of an endpoint that is below its limit; null otherwise. */
function countCall(
  tx: Transaction,
  { path, clientMax, now }: PlannedCall,
): Promise<z.infer<typeof Limited> | null> {
  return tx.maybeOne(sql.type(Limited)`
    INSERT INTO endpoint_calls AS old (endpoint, minute, minute_count)
    VALUES (${path}, ${minuteOf(now).toISOString()}, 1)
    ON CONFLICT (endpoint) DO UPDATE SET
      minute = greatest(old.minute, excluded.minute),
      minute_count = CASE WHEN excluded.minute > old.minute THEN 1 ELSE old.minute_count + 1 END
    WHERE (old.limited_until IS NULL OR old.limited_until <= ${now.toISOString()})
      AND (excluded.minute > old.minute OR old.minute_count < ${clientMax})
    RETURNING limited_in_row AS "limitedInRow"`)
}

const LimitState = z.object({
  heldUntil: z.date().nullable(),
  limitedUntil: z.date().nullable(),
  minute: z.date(),
  count: z.number(),
})

/**
 * Returns why a call may not be sent: because of the lease or the limits of its item, or, if `item`
 * is null, because of the limits of its endpoint.
 */
async function findRefusal(tx: Transaction, call: PlannedCall): Promise<Refusal> {
  const { item, path, clientMax, now } = call
  const state = await tx.one(
    item
      ? sql.type(LimitState)`
          SELECT held_until AS "heldUntil", limited_until AS "limitedUntil", minute,
            coalesce((minute_counts ->> ${path})::int, 0) AS count
          FROM item_calls WHERE account_id = ${item.accountId} AND link_id = ${item.linkId}`
      : sql.type(LimitState)`
          SELECT NULL::timestamptz AS "heldUntil", limited_until AS "limitedUntil", minute,
            minute_count AS count
          FROM endpoint_calls WHERE endpoint = ${path}`,
  )
  return refusalOf(state, { max: item?.itemMax ?? clientMax, now })
}

/** Ends the hold on an item, if this call still has it. `limitedUntil`: the end of a pause. */
export async function endCall(
  { pool }: Database,
  item: LinkKey & { holder: string },
  { limitedUntil }: { limitedUntil: Date | null },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE item_calls SET holder = NULL, held_until = NULL, ${pauseOf(limitedUntil)}
    WHERE account_id = ${item.accountId} AND link_id = ${item.linkId} AND holder = ${item.holder}`)
}

/** Pauses the calls of an endpoint until `limitedUntil`; null ends its series of 429 answers. */
export async function pauseEndpoint(
  { pool }: Database,
  { path, limitedUntil }: { path: string; limitedUntil: Date | null },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE endpoint_calls SET ${pauseOf(limitedUntil)}
    WHERE endpoint = ${path} AND (${limitedUntil !== null} OR limited_in_row > 0)`)
}

function pauseOf(until: Date | null) {
  return until === null
    ? sql.fragment`limited_until = NULL, limited_in_row = 0`
    : sql.fragment`limited_until = ${until.toISOString()}, limited_in_row = limited_in_row + 1`
}

const Counts = z.object({
  today: z.number(),
  total: z.bigint(),
  limitedUntil: z.date().nullable(),
})

/** Calls of a link: today (UTC) and in total, and the end of a pause that is still running. */
export type CallCounts = z.infer<typeof Counts>

/** Returns the calls of a link; null if there was none. */
export function findCallCounts(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  now: Date,
): Promise<CallCounts | null> {
  const at = now.toISOString()
  return pool.maybeOne(sql.type(Counts)`
    SELECT CASE WHEN day >= ${dayOf(now).toISOString()} THEN day_count ELSE 0 END AS today,
      total_count AS total, CASE WHEN limited_until > ${at} THEN limited_until END AS "limitedUntil"
    FROM item_calls WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

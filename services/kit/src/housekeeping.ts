import { sql } from 'slonik'
import type { Database } from './database.ts'
import { keptForHours } from './idempotency.ts'
import type { Log } from './log.ts'

const everyMs = 60 * 60 * 1000
const changesKeptForDays = 90
// Longer than changes, so that no replay finds an effect forgotten.
const inboxKeptForDays = changesKeptForDays + 7
const batchSizeMax = 10_000

/** Deletes, every hour, what has been kept long enough: idempotency keys, changes, the inbox. */
export function startHousekeeping(database: Database, log: Log): AsyncDisposable {
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = sweep(database).catch((error) => log.warn({ err: error }, 'housekeeping failed'))
  }, everyMs)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await round
    },
  }
}

/** One round, at most a batch of each table; the next round takes what is left. */
export async function sweep({ pool }: Database): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM idempotency_keys
      WHERE created_at < now() - make_interval(hours => ${keptForHours}) LIMIT ${batchSizeMax}))`)
  await pool.query(sql.unsafe`
    DELETE FROM changes WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM changes
      WHERE created_at < now() - make_interval(days => ${changesKeptForDays})
        AND published_at IS NOT NULL LIMIT ${batchSizeMax}))`)
  await pool.query(sql.unsafe`
    DELETE FROM inbox WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM inbox
      WHERE received_at < now() - make_interval(days => ${inboxKeptForDays})
      LIMIT ${batchSizeMax}))`)
}

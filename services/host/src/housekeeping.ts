import type { Database } from '@coffer/kit/database/database'
import { keptForHours } from '@coffer/kit/database/idempotency'
import { deleteSome } from '@coffer/kit/database/rows'
import type { Log } from '@coffer/kit/service/log'
import { sql } from 'slonik'
import { positionsKeptForDays } from './events/consumer-position.ts'

const everyMs = 60 * 60 * 1000
const changesKeptForDays = 90
// Days for which inbox rows are kept: longer than changes, so that replays of changes are
// recognized.
const inboxKeptForDays = changesKeptForDays + 7
const batchSizeMax = 10_000
const batchesMax = 100

/**
 * Deletes expired rows every hour: idempotency keys, published changes, inbox rows, positions of
 * consumers.
 */
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

/** Deletes expired rows in batches, at most a million of each table. */
export async function sweep(database: Database): Promise<void> {
  const expired = {
    idempotency_keys: sql.fragment`created_at < now() - make_interval(hours => ${keptForHours})`,
    changes: sql.fragment`
      created_at < now() - make_interval(days => ${changesKeptForDays})
      AND published_at IS NOT NULL`,
    consumer_positions: sql.fragment`
      stored_at < now() - make_interval(days => ${positionsKeptForDays})`,
    inbox: sql.fragment`received_at < now() - make_interval(days => ${inboxKeptForDays})`,
  }
  for (const [table, where] of Object.entries(expired)) {
    for (let batches = 0; batches < batchesMax; batches++) {
      const rowCount = await deleteSome(database, { table, where, limit: batchSizeMax })
      if (rowCount < batchSizeMax) break
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@coffer/kit/database/database'
import type { Log } from '@coffer/kit/service/log'
import { repeat } from '@coffer/kit/service/repeat'
import { sql } from 'slonik'
import { z } from 'zod'
import { republish } from '../events/replay.ts'
import { countDatabaseRestore } from '../metrics.ts'

/** A position in the write-ahead log (WAL) of a cluster. */
const Position = z.object({
  systemId: z.string(),
  /** Hexadecimal; each promotion of a standby starts a new timeline. */
  timeline: z.string(),
  /** Bytes since the start of the log. */
  lsn: z.bigint(),
})
export type Position = z.infer<typeof Position>

/**
 * Returns whether commits before the first position may be missing at the second one: the server is
 * another cluster or a promoted standby, or its log is shorter than before (restored files).
 */
export function mayLackCommits(before: Position, after: Position): boolean {
  const isSame = before.systemId === after.systemId && before.timeline === after.timeline
  return !isSame || after.lsn < before.lsn
}

interface WatchOptions {
  service: string
  database: Database
  log: Log
  /** Time in ms between checks; 5 s by default. */
  everyMs?: number
  /** Time in ms until changes are published again; 125 s by default. */
  republishMs?: number
}

// Longer than JetStream's duplicate window of two minutes, within which it would drop the changes.
const duplicatesMs = 125_000

/** A watch for lost commits; disposing stops it. */
export type LostCommitsWatch = AsyncDisposable & {
  /** Returns why lost commits would not be detected, for `/readyz`; null if they would be. */
  notice: () => string | null
}

/**
 * Detects that the database may have lost commits, by a fail-over or a restore. Consumers may then
 * lack the effects of messages that they have acknowledged, so the latest changes are published
 * again (docs/operations.md#a-database-that-lost-commits). No cache has to be dropped, because
 * processes cache no rows. A server that does not reveal its position, as some managed ones, is
 * logged once.
 */
export function watchLostCommits(options: WatchOptions): LostCommitsWatch {
  const { service, database, log, everyMs = 5_000, republishMs = duplicatesMs } = options
  let publishing = Promise.resolve()
  const publishLater = async (stopping: AbortSignal) => {
    const since = await latestChange(database)
    await sleep(republishMs, undefined, { signal: stopping, ref: false }).catch(() => {})
    if (stopping.aborted || since === null) return
    const count = await republish(database, since)
    log.info({ count }, 'the latest changes are published again')
  }
  let last: Position | null = null
  let refusal: string | null = null
  const note = (err: unknown) => {
    const { code = '', message } = databaseError(err)
    if (!refusedStates.has(code)) return log.debug({ err }, 'position of the database not read')
    const text = `lost commits are not noticed, as Postgres refuses its position (${message})`
    if (refusal === null) log.warn(`${text}: run "coffer replay" after a fail-over`)
    refusal = text
  }
  const check = async (stopping: AbortSignal) => {
    const position = await database.pool.maybeOne(current)
    refusal = null
    // The server is a standby: its position is compared once it has been promoted.
    if (position === null) return
    if (last !== null && mayLackCommits(last, position)) {
      countDatabaseRestore(1, service)
      log.warn({ before: textOf(last), after: textOf(position) }, 'the database may lack commits')
      publishing = publishLater(stopping).catch((err) => {
        log.error({ err }, 'changes were not published again: run "coffer replay"')
      })
    }
    last = position
  }
  const checking = repeat((stopping) => check(stopping).catch(note), { everyMs })
  return {
    notice: () => refusal && `${service}: ${refusal}`,
    [Symbol.asyncDispose]: async () => {
      await checking[Symbol.asyncDispose]()
      await publishing
    },
  }
}

/** SQLSTATEs insufficient_privilege, feature_not_supported and undefined_function. */
const refusedStates = new Set(['42501', '0A000', '42883'])

/** Returns the error of Postgres, which slonik wraps. */
function databaseError(error: unknown): { code?: string; message: string } {
  const { cause } = error as Error
  return (cause ?? error) as Error & { code?: string }
}

const current = sql.type(Position)`
  SELECT system_identifier::text AS "systemId",
    left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
    (pg_current_wal_lsn() - '0/0')::bigint AS lsn
  FROM pg_control_system() WHERE NOT pg_is_in_recovery()`

function textOf({ systemId, timeline, lsn }: Position): string {
  return `${systemId} ${timeline} ${lsn}`
}

const beforeMs = 10 * 60_000

/**
 * Returns the instant from which changes are published again: ten minutes before the latest change;
 * null if there is no change.
 */
async function latestChange({ pool }: Database): Promise<Date | null> {
  const at = await pool.oneFirst(sql.type(z.object({ at: z.date().nullable() }))`
    SELECT max(created_at) AS at FROM changes`)
  return at && new Date(at.getTime() - beforeMs)
}

import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** State of a service's audit of the stream (docs/events.md#lost-messages). */
export const StreamPosition = z.object({
  /** When the stream was created, as NATS states it. */
  createdAt: z.string(),
  /**
   * Offset of positions: the position of a change is the base plus the sequence number of its
   * message. The base is raised when the stream is lost, because its numbers then begin again.
   */
  base: z.bigint(),
  /** Every consumer has acknowledged the messages up to this position. */
  acknowledged: z.bigint(),
  /** The messages after the base, up to this position, were found in the stream. */
  checked: z.bigint(),
})
export type StreamPosition = z.infer<typeof StreamPosition>

/** A published change, with its position and its age. */
export const PublishedChange = z.object({
  changeId: z.string(),
  accountId: z.string(),
  position: z.bigint(),
  ageMs: z.number(),
})
export type PublishedChange = z.infer<typeof PublishedChange>

const published = sql.fragment`
  SELECT change_id AS "changeId", account_id AS "accountId", stream_position AS position,
    (extract(epoch FROM now() - published_at) * 1000)::float8 AS "ageMs"
  FROM changes`

const fields = sql.fragment`created_at AS "createdAt", base, acknowledged, checked`

/**
 * Returns the stored state of a service's audit of a stream. The first call inserts it, with base 0
 * and the time at which the stream was created.
 */
export async function loadPosition(
  { pool }: Database,
  { stream, createdAt }: { stream: string; createdAt: string },
): Promise<StreamPosition> {
  await pool.query(sql.unsafe`
    INSERT INTO stream_positions (stream, created_at, base, acknowledged, checked)
    VALUES (${stream}, ${createdAt}, 0, 0, 0) ON CONFLICT DO NOTHING`)
  return pool.one(sql.type(StreamPosition)`
    SELECT ${fields} FROM stream_positions WHERE stream = ${stream}`)
}

/**
 * Raises the base above all positions after the stream has lost messages: the changes between
 * `acknowledged` and the base are then republished. Compare-and-set: returns false if another
 * process has raised it.
 */
export async function raiseBase(
  { pool }: Database,
  { stream, createdAt, from }: { stream: string; createdAt: string; from: StreamPosition },
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    WITH newest AS (
      SELECT greatest(${from.base}::bigint, max(stream_position)) AS position FROM changes
      WHERE stream_position IS NOT NULL
    )
    UPDATE stream_positions SET created_at = ${createdAt}, base = position, checked = position
    FROM newest
    WHERE stream = ${stream} AND base = ${from.base} AND created_at = ${from.createdAt}`)
  return rowCount > 0
}

/** Stores the progress of the audit, unless another process has raised the base. */
export async function savePosition(
  { pool }: Database,
  stream: string,
  { base, acknowledged, checked }: StreamPosition,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE stream_positions SET acknowledged = greatest(acknowledged, ${acknowledged}::bigint),
      checked = greatest(checked, ${checked}::bigint)
    WHERE stream = ${stream} AND base = ${base}`)
}

/** Returns the newest change up to the checked position; null if none is left. */
export function findNewestChecked(
  { pool }: Database,
  { base, checked }: StreamPosition,
): Promise<PublishedChange | null> {
  return pool.maybeOne(sql.type(PublishedChange)`
    ${published} WHERE stream_position > ${base} AND stream_position <= ${checked}
    ORDER BY stream_position DESC LIMIT 1`)
}

/** Lists changes after the checked position, in the order of their positions. */
export function listUnchecked(
  { pool }: Database,
  { checked }: StreamPosition,
  limit: number,
): Promise<readonly PublishedChange[]> {
  return pool.any(sql.type(PublishedChange)`
    ${published} WHERE stream_position > ${checked} AND published_at IS NOT NULL
    ORDER BY stream_position LIMIT ${limit}`)
}

/** Lists the changes at these positions. */
export function listAt(
  { pool }: Database,
  positions: readonly bigint[],
): Promise<readonly PublishedChange[]> {
  return pool.any(sql.type(PublishedChange)`
    ${published} WHERE published_at IS NOT NULL
      AND stream_position = ANY(${sql.array(positions, 'int8')})`)
}

/** Returns whether changes are not yet published. */
export function hasUnpublished({ pool }: Database): Promise<boolean> {
  return pool.exists(sql.unsafe`SELECT FROM changes WHERE published_at IS NULL`)
}

/** Marks changes as unpublished, so that the relay publishes them again; returns their number. */
export async function unpublish(
  { pool }: Database,
  changes: readonly PublishedChange[],
): Promise<number> {
  const ids = changes.map(({ changeId }) => changeId)
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE changes SET published_at = NULL, stream_position = NULL
    WHERE change_id = ANY(${sql.array(ids, 'text')}) AND published_at IS NOT NULL`)
  return rowCount
}

/**
 * Marks changes of the lost stream as unpublished that a consumer may not have received; at most
 * `limit`, the oldest first. Returns their number.
 */
export async function unpublishLost(
  { pool }: Database,
  { acknowledged, base }: StreamPosition,
  limit: number,
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    WITH lost AS MATERIALIZED (
      SELECT change_id FROM changes
      WHERE stream_position > ${acknowledged} AND stream_position <= ${base}
      ORDER BY stream_position LIMIT ${limit}
    )
    UPDATE changes SET published_at = NULL, stream_position = NULL
    FROM lost WHERE changes.change_id = lost.change_id`)
  return rowCount
}

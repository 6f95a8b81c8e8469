import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** Days for which positions are kept: as long as the stream keeps messages. */
export const positionsKeptForDays = 7
const everyMinutes = 10
const listedMax = (positionsKeptForDays * 24 * 60) / everyMinutes

/** A message up to which a consumer has acknowledged all messages of its subjects. */
const ConsumerPosition = z.object({
  /** Sequence number in the stream. */
  seq: z.bigint(),
  messageId: z.string(),
})
type ConsumerPosition = z.infer<typeof ConsumerPosition>

/** A durable consumer of one stream. */
export interface ConsumerPlace {
  stream: string
  /** When the stream was created, as NATS states it. */
  streamCreatedAt: string
  consumer: string
}

/** Returns whether the consumer has stored a position, in this stream or a former one. */
export function hasPositions(
  { pool }: Database,
  stream: string,
  consumer: string,
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM consumer_positions WHERE stream = ${stream} AND consumer = ${consumer}`)
}

/** Returns whether the newest position is over ten minutes old, so that the next one is stored. */
export function isPositionDue({ pool }: Database, place: ConsumerPlace): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT WHERE NOT EXISTS (
      SELECT FROM consumer_positions
      WHERE ${isAt(place)} AND stored_at > now() - make_interval(mins => ${everyMinutes}))`)
}

/** Stores a position. Idempotent. */
export async function savePosition(
  { pool }: Database,
  { stream, streamCreatedAt, consumer }: ConsumerPlace,
  { seq, messageId }: ConsumerPosition,
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO consumer_positions (stream, consumer, stream_created_at, seq, message_id)
    VALUES (${stream}, ${consumer}, ${streamCreatedAt}, ${seq}, ${messageId})
    ON CONFLICT DO NOTHING`)
}

/** Lists the positions between two sequence numbers, the newest first. */
export function listPositions(
  { pool }: Database,
  place: ConsumerPlace,
  { first, last }: { first: number; last: number },
): Promise<readonly ConsumerPosition[]> {
  return pool.any(sql.type(ConsumerPosition)`
    SELECT seq, message_id AS "messageId" FROM consumer_positions
    WHERE ${isAt(place)} AND seq BETWEEN ${first} AND ${last}
    ORDER BY seq DESC LIMIT ${listedMax}`)
}

function isAt({ stream, streamCreatedAt, consumer }: ConsumerPlace) {
  return sql.fragment`
    stream = ${stream} AND consumer = ${consumer} AND stream_created_at = ${streamCreatedAt}`
}

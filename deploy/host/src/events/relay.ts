import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import { subjectOf } from '@coffer/kit/events/changes'
import type { Log } from '@coffer/kit/service/log'
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers, InvalidArgumentError } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { z } from 'zod'
import { deadLetters, relayBacklog } from '../metrics.ts'

const Unpublished = z.object({
  changeId: z.string(),
  accountId: z.string(),
  type: z.string(),
  payload: z.instanceof(Buffer),
  sequence: z.bigint(),
})
type Unpublished = z.infer<typeof Unpublished>

const batchSizeMax = 500
// Each commit wakes the relay of its own process; a poll finds what a killed process has left.
const pollMs = 3_000
const retryMs = 500
// Commits within this time share a round, which costs three statements.
const gatherMs = 50
// Code of the JetStream error JSStreamMessageExceedsMaximumErr.
const messageTooLarge = 10_054

/** Options of the relay of one service. */
export interface RelayOptions {
  service: string
  /** A pool of its own, so that the relay never waits for requests. */
  database: Database
  /** Registers a listener of commits of this process that may have emitted changes. */
  onChanges: Database['onChanges']
  broker: Broker
  log: Log
}

/**
 * Starts the outbox relay, which publishes committed changes in the order of each account's
 * sequence numbers. Commits of this process wake the relay; a poll finds the commits of other
 * processes.
 *
 * A change is marked after JetStream has acknowledged it, so a crash republishes it under the same
 * message ID. Two relays of one service may also publish a change twice, which JetStream
 * deduplicates.
 */
export function startRelay(options: RelayOptions): AsyncDisposable {
  const { onChanges, log } = options
  let awake = Promise.withResolvers<void>()
  let stopped = false
  let isFailing = false
  onChanges(() => awake.resolve())
  const run = async (): Promise<void> => {
    for (let waitMs = 0; !stopped; waitMs = isFailing ? retryMs : pollMs) {
      const poll = setTimeout(() => awake.resolve(), waitMs)
      await awake.promise
      clearTimeout(poll)
      if (!stopped) await sleep(gatherMs)
      awake = Promise.withResolvers()
      try {
        while ((await publishBatch(options)) === batchSizeMax && !stopped);
        if (isFailing) {
          // Checks NATS, because another process may have published the changes meanwhile.
          await findStream(options.broker)
          log.info('changes are published again')
        }
        isFailing = false
      } catch (error) {
        // Logged once for each outage, not at each poll.
        if (!isFailing) log.warn({ err: error }, 'changes could not be published yet')
        isFailing = true
      }
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true
      awake.resolve()
      await running
    },
  }
}

/** Throws when NATS does not answer this process, or has no stream. */
async function findStream({ stream, streamName }: Broker): Promise<void> {
  const manager = await stream.jetstreamManager(false)
  await manager.streams.info(streamName)
}

/**
 * Publishes one batch and marks the settled changes; returns its size. Throws when a change was not
 * acknowledged.
 */
async function publishBatch(options: RelayOptions): Promise<number> {
  const { service, database } = options
  const batch = await sequenceBatch(database)
  relayBacklog.set({ service }, batch.length)
  if (batch.length === 0) return 0
  const outcomes = await Promise.allSettled(batch.map((change) => publish(options, change)))
  const settled = batch.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  await database.pool.query(sql.unsafe`
    UPDATE changes SET published_at = now()
    WHERE change_id = ANY(${sql.array(
      settled.map(({ changeId }) => changeId),
      'text',
    )})`)
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return batch.length
}

/** Resolves when the change is acknowledged, or put aside because NATS never accepts its size. */
async function publish(options: RelayOptions, change: Unpublished): Promise<void> {
  const { broker } = options
  const { changeId, accountId, type, payload, sequence } = change
  const header = headers()
  header.set('Coffer-Account', accountId)
  header.set('Coffer-Sequence', String(sequence))
  const subject = broker.subject(subjectOf(type))
  try {
    await broker.stream.publish(subject, payload, { msgID: changeId, headers: header })
  } catch (error) {
    if (!isTooLarge(error)) throw error
    setAside(options, change)
  }
}

/** Returns whether NATS refuses the message for its size, which no retry changes. */
function isTooLarge(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === messageTooLarge
  return error instanceof InvalidArgumentError
}

/** Puts a change aside; `coffer replay` republishes it once `max_payload` of NATS is higher. */
function setAside({ log }: RelayOptions, change: Unpublished): void {
  const { changeId, accountId, type, payload } = change
  const bytes = payload.length
  log.error(
    { changeId, accountId, type, bytes },
    'change exceeds max_payload of NATS: raise it, then run coffer replay',
  )
  deadLetters.inc({ consumer: 'relay' })
}

/**
 * Takes the oldest unpublished changes, and numbers those without a sequence number. FOR UPDATE
 * returns the current row, with a number that another relay may have just assigned.
 *
 * The statement is shaped for the planner: it updates rows by ON CONFLICT on the key, and its limit
 * is a literal. With a join or a parameter, the planner scans the whole table when many changes are
 * unpublished.
 */
async function sequenceBatch(database: Database): Promise<readonly Unpublished[]> {
  return database.pool.any(sql.type(Unpublished)`
    WITH batch AS MATERIALIZED (
      SELECT change_id, account_id, type, entity_id, version, payload, sequence FROM changes
      WHERE published_at IS NULL ORDER BY change_id LIMIT ${sql.literalValue(String(batchSizeMax))}
      FOR UPDATE SKIP LOCKED
    ), counters AS (
      INSERT INTO change_sequences AS kept (account_id, last_sequence)
      SELECT account_id, count(*) FROM batch WHERE sequence IS NULL
      GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id) DO UPDATE
        SET last_sequence = kept.last_sequence + EXCLUDED.last_sequence
      RETURNING account_id, last_sequence
    ), numbered AS (
      SELECT counted.*, max(last_sequence) OVER (PARTITION BY account_id) + 1
        - count(change_id) OVER (PARTITION BY account_id ORDER BY change_id DESC) AS number
      FROM (
        SELECT account_id, change_id, type, entity_id, version, payload, NULL AS last_sequence
        FROM batch WHERE sequence IS NULL
        UNION ALL
        SELECT account_id, NULL, NULL, NULL, NULL, NULL, last_sequence FROM counters
      ) AS counted
    ), updated AS (
      INSERT INTO changes (change_id, account_id, type, entity_id, version, payload, sequence)
      SELECT change_id, account_id, type, entity_id, version, payload, number
      FROM numbered WHERE change_id IS NOT NULL
      ON CONFLICT (change_id) DO UPDATE SET sequence = EXCLUDED.sequence
      RETURNING change_id, account_id, type, payload, sequence
    )
    SELECT change_id AS "changeId", account_id AS "accountId", type, payload, sequence
    FROM updated
    UNION ALL
    SELECT change_id, account_id, type, payload, sequence FROM batch WHERE sequence IS NOT NULL
    ORDER BY 1`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import { subjectOf } from '@coffer/kit/events/changes'
import type { Log } from '@coffer/kit/service/log'
import { currentTraceparent, traced, traceHeader } from '@coffer/kit/telemetry/trace'
import { newId } from '@coffer/kit/values/id'
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers, InvalidArgumentError } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { z } from 'zod'
import { countDeadLetters, setRelayBacklog } from '../metrics.ts'

const Unpublished = z.object({
  changeId: z.string(),
  accountId: z.string(),
  type: z.string(),
  payload: z.instanceof(Buffer),
  traceContext: z.string().nullable(),
})
type Unpublished = z.infer<typeof Unpublished>

const batchSizeMax = 500
// Interval in ms of polling all unpublished changes: it finds those committed by killed processes,
// commands or long transactions. After a commit of this process, only recent changes are searched,
// because the index keeps entries of published changes until a vacuum, which a backup can delay.
const pollMs = 1_000
const retryMs = 500
// Batching: pause in ms after a commit, so that a batch also publishes the commits that follow. The
// pause is longer at a high rate of changes, so that relay and consumers need fewer statements. At
// a low rate, it would only cause bursts that delay requests.
const gatherMs = 50
const gatherMsMax = 250
const highRate = 200
// JetStream error code JSStreamMessageExceedsMaximumErr.
const messageTooLarge = 10_054

export interface RelayOptions {
  service: string
  /** A separate connection pool, so that the relay never waits for requests. */
  database: Database
  /** Registers a listener, called after commits of this process that may have emitted changes. */
  onChanges: Database['onChanges']
  broker: Broker
  log: Log
  /**
   * Whether the process is starting. Loading code blocks the event loop then, so connections time
   * out; such a failure is logged only if it outlasts the start.
   */
  isStarting?: () => boolean
  /** Heartbeat: called in each iteration of the loop, even while NATS or Postgres is away. */
  beat?: () => void
}

/**
 * Starts the outbox relay of a service, which publishes committed changes. Commits of this process
 * wake it; polling finds changes of killed processes. A change is marked as published after
 * JetStream's acknowledgement. After a crash, or with two relays, it is published twice under the
 * same message ID, which JetStream deduplicates.
 */
export function startRelay(options: RelayOptions): AsyncDisposable {
  const { onChanges, log, isStarting = () => false } = options
  let awake = Promise.withResolvers<void>()
  let stopped = false
  let isFailing = false
  let isLogged = false
  let polledAt = Number.NEGATIVE_INFINITY
  let pauseMs = gatherMs
  // Lower bounds on the IDs of recent changes: IDs created at the last two polls.
  let created = { last: '', before: '' }
  onChanges(() => awake.resolve())
  const run = async (): Promise<void> => {
    for (let waitMs = 0; !stopped; waitMs = isFailing ? retryMs : pollMs) {
      options.beat?.()
      const poll = setTimeout(() => awake.resolve(), waitMs)
      await awake.promise
      clearTimeout(poll)
      if (!stopped) await sleep(pauseMs)
      awake = Promise.withResolvers()
      const isOfStart = isStarting()
      const isPoll = performance.now() - polledAt >= pollMs
      const now = newId('chg')
      const after = isPoll ? '' : created.before
      try {
        let count = 0
        do count = await publishBatch(options, after)
        while (count === batchSizeMax && !stopped)
        pauseMs = (count * 1_000) / pauseMs >= highRate ? gatherMsMax : gatherMs
        if (isPoll) {
          polledAt = performance.now()
          created = { last: now, before: created.last }
        }
        if (isFailing) {
          // An empty batch does not prove that NATS works: another process may have published the
          // changes.
          await findStream(options.broker)
          if (isLogged) log.info('changes are published again')
        }
        isFailing = false
        isLogged = false
      } catch (error) {
        isFailing = true
        // Logged once per outage instead of at each poll, and not while the process starts.
        if (isLogged || isOfStart) continue
        log.warn({ err: error }, 'changes could not be published yet')
        isLogged = true
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

/** Throws when NATS does not answer, or has no stream of changes. */
async function findStream({ stream, streamName }: Broker): Promise<void> {
  const manager = await stream.jetstreamManager(false)
  await manager.streams.info(streamName)
}

/**
 * Publishes a batch of the changes with an ID above `after`, and marks those that JetStream has
 * acknowledged; returns the size of the batch. Throws when a change was not acknowledged.
 */
async function publishBatch(options: RelayOptions, after: string): Promise<number> {
  const { service, database } = options
  options.beat?.()
  const batch = await listUnpublished(database, after)
  setRelayBacklog(batch.length, service)
  if (batch.length === 0) return 0
  const outcomes = await Promise.allSettled(batch.map((change) => publish(options, change)))
  const settled = batch.flatMap(({ changeId }, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'fulfilled' ? [[changeId, outcome.value]] : []
  })
  await database.pool.query(sql.unsafe`
    UPDATE changes SET published_at = now(), stream_position = seq
      + (SELECT base FROM stream_positions WHERE stream = ${options.broker.streamName})
    FROM ${sql.unnest(settled, ['text', 'int8'])} AS settled (id, seq)
    WHERE change_id = id AND published_at IS NULL`)
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return batch.length
}

/**
 * Publishes one change. Resolves to the sequence number of its message once JetStream has
 * acknowledged the message, and to null if NATS refuses the message for its size. Otherwise
 * rejects.
 */
async function publish(options: RelayOptions, change: Unpublished): Promise<number | null> {
  const { broker } = options
  const { changeId, accountId, type, payload, traceContext } = change
  const header = headers()
  header.set('Coffer-Account', accountId)
  const name = subjectOf(type)
  try {
    return await traced(`publish ${name}`, { kind: 'producer', parent: traceContext }, async () => {
      const traceparent = currentTraceparent()
      if (traceparent !== null) header.set(traceHeader, traceparent)
      const settings = { msgID: changeId, headers: header }
      return (await broker.stream.publish(broker.subject(name), payload, settings)).seq
    })
  } catch (error) {
    if (!isTooLarge(error)) throw error
    setAside(options, change)
    return null
  }
}

/** Returns whether NATS refuses a message because of its size, so that retries are useless. */
function isTooLarge(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === messageTooLarge
  return error instanceof InvalidArgumentError
}

/**
 * Logs a change that exceeds `max_payload` of NATS and is skipped; once the limit is raised,
 * `coffer replay` publishes it.
 */
function setAside({ log }: RelayOptions, change: Unpublished): void {
  const { changeId, accountId, type, payload } = change
  const bytes = payload.length
  log.error(
    { changeId, accountId, type, bytes },
    'change exceeds max_payload of NATS: raise it, then run coffer replay',
  )
  countDeadLetters(1, 'relay')
}

/**
 * Lists the oldest unpublished changes after an ID. LIMIT is a literal, so the planner uses the
 * index.
 */
async function listUnpublished(database: Database, after: string): Promise<readonly Unpublished[]> {
  return database.pool.any(sql.type(Unpublished)`
    SELECT change_id AS "changeId", account_id AS "accountId", type, payload,
      trace_context AS "traceContext"
    FROM changes WHERE published_at IS NULL AND change_id > ${after}
    ORDER BY change_id LIMIT ${sql.literalValue(String(batchSizeMax))}`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiCodes,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { countConsumerResets } from '../metrics.ts'
import { hasPositions, isPositionDue, listPositions, savePosition } from './consumer-position.ts'
import { findMessageId, nullIf } from './nats.ts'

// Maximum number of unacknowledged messages of a consumer, over all processes. Far above the number
// that processes handle at once, because messages that await redelivery count too, and must not
// block others.
const pendingMax = 16_384
// Pause in ms before checking again a consumer that seems to be ahead of its stream.
const confirmMs = 500

/** The durable consumer that all processes of a service share. */
export interface DurableConsumer {
  /** Name of the consumer: the service, then its purpose. */
  name: string
  handlers: readonly { subject: string }[]
  /** The database of the service, which keeps the positions of the consumer. */
  database: Database
  broker: Broker
  log: Log
  /** Time in ms without acknowledgement or progress after which NATS redelivers a message. */
  ackWaitMs: number
}

/** A consumer, null if NATS does not have it, and its stream, read just after the consumer. */
interface Found {
  consumer: ConsumerInfo | null
  stream: StreamInfo
}

/**
 * Creates the durable consumer, or adds subjects to its filter. Never removes subjects: a newer
 * release may run at the same time, and messages outside the filter are lost for all processes.
 * A consumer that is ahead of its stream is deleted and created again
 * (docs/events.md#lost-consumers). Returns the number of undelivered messages.
 */
export async function ensureConsumer(durable: DurableConsumer): Promise<number> {
  const { broker, name, handlers, ackWaitMs } = durable
  const subjects = handlers.map(({ subject }) => broker.subject(subject))
  const manager = await jetstreamManager(broker.connection, { timeout: 5_000 })
  const { consumer, stream } = await findUsable(manager, durable)
  const known = consumer?.config.filter_subjects ?? []
  const missing = subjects.filter((subject) => !known.includes(subject))
  const config = {
    filter_subjects: [...known, ...missing],
    max_deliver: -1,
    max_ack_pending: pendingMax,
    ack_wait: nanos(ackWaitMs),
  }
  if (consumer === null) {
    const start = await findStart(manager, durable, stream)
    const made = { durable_name: name, ack_policy: AckPolicy.Explicit }
    await manager.consumers.add(broker.streamName, { ...config, ...made, ...start })
    return 0
  }
  if (missing.length > 0 || differs(consumer.config, config)) {
    await manager.consumers.update(broker.streamName, name, config)
  }
  await keepPosition(manager, durable, { consumer, stream })
  return consumer.num_ack_pending < pendingMax ? consumer.num_pending : 0
}

function differs(
  found: ConsumerInfo['config'],
  config: Pick<ConsumerInfo['config'], 'max_ack_pending' | 'ack_wait'>,
): boolean {
  return found.max_ack_pending !== config.max_ack_pending || found.ack_wait !== config.ack_wait
}

/**
 * Returns the consumer and its stream. A consumer that is ahead of its stream would skip new
 * messages: it is deleted, and null is returned in its place. Checked twice, because the two
 * answers may come from different servers of a cluster.
 */
async function findUsable(manager: JetStreamManager, durable: DurableConsumer): Promise<Found> {
  const first = await findBoth(manager, durable)
  if (!isAhead(first)) return first
  await sleep(confirmMs)
  const second = await findBoth(manager, durable)
  if (!isAhead(second)) return second
  const { broker, name, log } = durable
  const { delivered } = second.consumer
  const last = second.stream.state.last_seq
  log.error({ consumer: name, delivered, last }, 'consumer is ahead of its stream')
  await manager.consumers.delete(broker.streamName, name)
  return { consumer: null, stream: second.stream }
}

function isAhead(found: Found): found is Found & { consumer: ConsumerInfo } {
  const { consumer, stream } = found
  return consumer !== null && consumer.delivered.stream_seq > stream.state.last_seq
}

/**
 * Reads the consumer before its stream. If a message is delivered in between, only the stream
 * appears longer, so the consumer never wrongly appears to be ahead.
 */
async function findBoth(manager: JetStreamManager, durable: DurableConsumer): Promise<Found> {
  const { streamName } = durable.broker
  const found = manager.consumers.info(streamName, durable.name)
  const consumer = await nullIf(JetStreamApiCodes.ConsumerNotFound, found)
  const stream = await manager.streams.info(streamName)
  return { consumer, stream }
}

/**
 * Returns the start of a new consumer: after the newest stored position whose message the stream
 * still has, else the first message of the stream. If a position is stored, NATS has lost the
 * consumer or the end of its stream, which is counted.
 */
async function findStart(
  manager: JetStreamManager,
  { broker, database, name, log }: DurableConsumer,
  { created, state }: StreamInfo,
): Promise<Partial<ConsumerConfig>> {
  const stream = broker.streamName
  if (!(await hasPositions(database, stream, name))) return {}
  countConsumerResets(1, name)
  const place = { stream, streamCreatedAt: created, consumer: name }
  const range = { first: state.first_seq, last: state.last_seq }
  let after = 0
  for (const { seq, messageId } of await listPositions(database, place, range)) {
    if ((await findMessageId(manager, stream, Number(seq))) !== messageId) continue
    after = Number(seq)
    break
  }
  log.error({ consumer: name, after }, 'consumer was lost: messages are delivered again')
  if (after === 0) return {}
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }
}

/**
 * Stores the consumer's position, at most every ten minutes: the last message before the first
 * unacknowledged one. A consumer that NATS loses is created again from this position.
 */
async function keepPosition(
  manager: JetStreamManager,
  { broker, database, name }: DurableConsumer,
  { consumer, stream }: Found & { consumer: ConsumerInfo },
): Promise<void> {
  const seq = consumer.ack_floor.stream_seq
  const place = { stream: broker.streamName, streamCreatedAt: stream.created, consumer: name }
  if (seq === 0 || !(await isPositionDue(database, place))) return
  const messageId = await findMessageId(manager, broker.streamName, seq)
  if (messageId !== null) await savePosition(database, place, { seq: BigInt(seq), messageId })
}

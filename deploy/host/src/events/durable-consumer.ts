import type { Broker } from '@coffer/kit/events/broker'
import {
  AckPolicy,
  type ConsumerInfo,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

// Far above `inFlightMax`: messages that wait for a redelivery, or for a newer version, count as
// pending. They must not block other messages.
const pendingMax = 16_384

/** A consumer on the server, shared by all processes of a service, of any version. */
export interface DurableConsumer {
  broker: Broker
  name: string
  /** Full subjects of the messages that this version handles. */
  subjects: string[]
  ackWaitMs: number
}

/**
 * Creates the consumer, or adds missing subjects to its filter. The filter only grows, because a
 * newer version may run at the same time: a message outside the filter is lost for every process.
 */
export async function ensureConsumer(durable: DurableConsumer): Promise<void> {
  const { broker, name, subjects, ackWaitMs } = durable
  const manager = await jetstreamManager(broker.connection, { timeout: 5_000 })
  const found = await findConsumer(manager, durable)
  const known = found?.config.filter_subjects ?? []
  const missing = subjects.filter((subject) => !known.includes(subject))
  const config = {
    filter_subjects: [...known, ...missing],
    max_deliver: -1,
    max_ack_pending: pendingMax,
    ack_wait: nanos(ackWaitMs),
  }
  if (found === null) {
    const made = { durable_name: name, ack_policy: AckPolicy.Explicit }
    await manager.consumers.add(broker.streamName, { ...config, ...made })
  } else if (missing.length > 0 || differs(found.config, config)) {
    await manager.consumers.update(broker.streamName, name, config)
  }
}

function differs(
  found: ConsumerInfo['config'],
  config: Pick<ConsumerInfo['config'], 'max_ack_pending' | 'ack_wait'>,
): boolean {
  return found.max_ack_pending !== config.max_ack_pending || found.ack_wait !== config.ack_wait
}

async function findConsumer(
  manager: JetStreamManager,
  { broker, name }: DurableConsumer,
): Promise<ConsumerInfo | null> {
  try {
    return await manager.consumers.info(broker.streamName, name)
  } catch (error) {
    const isMissing =
      error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound
    if (!isMissing) throw error
    return null
  }
}

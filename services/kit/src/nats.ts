import { setTimeout as sleep } from 'node:timers/promises'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  jetstream,
  jetstreamManager,
  type StreamAPI,
} from '@nats-io/jetstream'
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node'

const dayMs = 24 * 60 * 60 * 1000
const drainMsMax = 3_000

/** A connection to NATS, with the stream of changes in place. */
export interface Broker extends AsyncDisposable {
  connection: NatsConnection
  stream: JetStreamClient
  /** The stream that carries every service's changes. */
  streamName: string
  /** Puts the deployment's prefix before a subject, so that several can share one NATS. */
  subject: (name: string) => string
}

export interface BrokerOptions {
  url: string
  prefix: string
  serviceNames: string[]
}

/**
 * Connects to NATS and makes sure the stream exists: one subject space a service, messages kept
 * for seven days (older changes come back through `coffer replay`).
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, prefix, serviceNames } = options
  const streamName = prefix.toUpperCase()
  const subject = (name: string) => `${prefix}.${name}`
  const connection = await connect({
    servers: url,
    name: 'coffer',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: false,
    // Each publish would make two errors, with their stacks, in case it fails.
    noAsyncTraces: true,
    timeout: 5_000,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
  await using opening = new AsyncDisposableStack()
  opening.defer(() => connection.close())
  const config = {
    name: streamName,
    subjects: [...serviceNames.map(subjectSpace), 'dead'].map((name) => subject(`${name}.>`)),
    max_age: nanos(7 * dayMs),
    duplicate_window: nanos(2 * 60_000),
  }
  await ensureStream(connection, config)
  void keepStream(connection, config)
  opening.move()
  return {
    connection,
    stream: jetstream(connection, { timeout: 5_000 }),
    streamName,
    subject,
    [Symbol.asyncDispose]: () => drain(connection),
  }
}

type StreamOptions = Parameters<StreamAPI['add']>[0]

async function ensureStream(connection: NatsConnection, config: StreamOptions): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: 5_000 })
  try {
    await manager.streams.update(config.name, config)
  } catch (error) {
    const isNew =
      error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
    if (!isNew) throw error
    await manager.streams.add(config)
  }
}

/** A server that comes back may have lost its store; changes must have somewhere to go. */
async function keepStream(connection: NatsConnection, config: StreamOptions): Promise<void> {
  for await (const { type } of connection.status()) {
    // A fault here is told by the relay, whose publishing fails until the stream is there.
    if (type === 'reconnect') await ensureStream(connection, config).catch(() => undefined)
  }
}

/** Sends what is buffered; where the server is gone there is nobody to send it to. */
async function drain(connection: NatsConnection): Promise<void> {
  const drained = connection.drain().catch(() => undefined)
  await Promise.race([drained, sleep(drainMsMax, undefined, { ref: false })])
  if (!connection.isClosed()) await connection.close()
}

/** Protobuf packages have no hyphens: feed-sync publishes under feedsync. */
function subjectSpace(serviceName: string): string {
  return serviceName.replaceAll('-', '')
}

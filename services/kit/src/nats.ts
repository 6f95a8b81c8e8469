import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node'

const dayMs = 24 * 60 * 60 * 1000

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
    timeout: 5_000,
  })
  const manager = await jetstreamManager(connection, { timeout: 5_000 })
  const config = {
    name: streamName,
    subjects: [...serviceNames.map(subjectSpace), 'dead'].map((name) => subject(`${name}.>`)),
    max_age: nanos(7 * dayMs),
    duplicate_window: nanos(2 * 60_000),
  }
  try {
    await manager.streams.update(streamName, config)
  } catch {
    await manager.streams.add(config)
  }
  return {
    connection,
    stream: jetstream(connection, { timeout: 5_000 }),
    streamName,
    subject,
    [Symbol.asyncDispose]: () => connection.drain(),
  }
}

/** Protobuf packages have no hyphens: feed-sync publishes under feedsync. */
export function subjectSpace(serviceName: string): string {
  return serviceName.replaceAll('-', '')
}

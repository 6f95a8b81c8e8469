import type { JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'

/** The connection to NATS. `connection` and `stream` throw unavailable before the first connect. */
export interface Broker extends AsyncDisposable {
  readonly connection: NatsConnection
  readonly stream: JetStreamClient
  /** Whether this process has ever connected to NATS; stays true when NATS fails later. */
  hasConnected: () => boolean
  /** Whether the connection to NATS is up; an unresponsive server is detected after 20 to 30 s. */
  isConnected: () => boolean
  /** NATS's error text if it refuses to create or change the stream; null if it does not. */
  refusal: () => string | null
  /** Name of the JetStream stream with the changes of all services. */
  streamName: string
  /** Adds the deployment's prefix to a NATS subject, so that deployments can share a server. */
  subject: (name: string) => string
}

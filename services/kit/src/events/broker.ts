import type { JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'

/**
 * A connection to NATS, with the JetStream stream of changes. `connection` and `stream` throw
 * unavailable until NATS has answered once.
 */
export interface Broker extends AsyncDisposable {
  readonly connection: NatsConnection
  readonly stream: JetStreamClient
  /** Whether NATS has answered at least once. Remains true while NATS is away later. */
  hasConnected: () => boolean
  /** Name of the stream that carries the changes of all services. */
  streamName: string
  /** Adds the deployment's prefix to a subject, so that deployments can share a NATS. */
  subject: (name: string) => string
}

import { connectBroker } from '@coffer/host/events/nats'
import type { NatsServers } from '@coffer/host/events/nats-servers'
import { silentLog } from '@coffer/host/testing/silent-log'
import type { Broker } from '@coffer/kit/events/broker'
import { newId } from '@coffer/kit/values/id'
import { jetstreamManager } from '@nats-io/jetstream'

/** Returns a broker that is not connected, and the reason, if the first attempt fails. */
export async function attempt(
  servers: NatsServers & { bytesMax?: number; connectMs?: number },
  replicas = 1,
  prefix = newId('t'),
) {
  const reasons: string[] = []
  const note = ({ err }: { err: Error }) => reasons.push(err.message)
  const log = { ...silentLog, warn: note, error: note } as unknown as typeof silentLog
  const broker = await connectBroker({
    ...servers,
    replicas,
    prefix,
    serviceNames: ['identity'],
    log,
  })
  return Object.assign(broker, { reason: reasons[0] })
}

/** Returns the state of the stream that a broker publishes to. */
export async function streamOf({ connection, streamName }: Broker) {
  const manager = await jetstreamManager(connection)
  return manager.streams.info(streamName)
}

import { connectBroker } from '@coffer/host/events/nats'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import type { Broker } from '@coffer/kit/events/broker'

/** Returns every message in the NATS stream of changes, oldest first. */
export async function storedMessages({ stream, streamName }: Broker) {
  const { streams } = await stream.jetstreamManager()
  const { state } = await streams.info(streamName)
  const messages = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(streamName, { seq })
    if (message) messages.push(message)
  }
  return messages
}

const serviceNames = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']

/**
 * Publishes the events of a deployment whose subject ends with one of these texts once more, under
 * new IDs, as JetStream drops duplicates. Returns their number.
 */
export async function redeliver(prefix: string, ...ends: string[]): Promise<number> {
  const url = requiredVariable('COFFER_TEST_NATS_URL')
  await using broker = await connectBroker({ url, prefix, serviceNames, log: silentLog })
  const all = await storedMessages(broker)
  const found = all.filter(({ subject }) => ends.some((end) => subject.endsWith(end)))
  for (const { subject, data, header, seq } of found) {
    header.set('Nats-Msg-Id', `again-${seq}`)
    await broker.stream.publish(subject, data, { headers: header })
  }
  return found.length
}

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

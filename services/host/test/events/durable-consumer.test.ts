import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  jetstreamManager,
} from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { startConsumer } from '../../src/events/consumer.ts'
import { ensureConsumer } from '../../src/events/durable-consumer.ts'
import { eventually } from '../../testing/boot.ts'
import { createMessaging, log } from '../../testing/fixture/messaging.ts'
import { sumOf } from '../../testing/metrics.ts'
import { started } from '../../testing/started.ts'

const subject = 'identity.account-settings-changed'
const resets = 'coffer_consumer_resets_total'

let manager: JetStreamManager

const messaging = started(() => createMessaging())

beforeAll(async () => {
  manager = await jetstreamManager(messaging.broker.connection)
})

/** Publishes messages, and returns their IDs. */
async function publish(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('chg'))
  for (const msgID of ids) {
    const options = { msgID, headers: headers() }
    await messaging.broker.stream.publish(messaging.broker.subject(subject), '', options)
  }
  return ids
}

/** Returns a durable consumer, with a list of the messages that its handler has received. */
function durable() {
  const received: string[] = []
  const handle = async (_payload: Uint8Array, { changeId }: { changeId: string }) => {
    received.push(changeId)
  }
  const { broker, database } = messaging
  const name = newId('c')
  const options = { name, handlers: [{ subject, handle }], database, broker, log }
  const info = () => manager.consumers.info(broker.streamName, name)
  return {
    received,
    info,
    start: () => startConsumer(options),
    ensure: () => ensureConsumer({ ...options, ackWaitMs: 10_000 }),
    /** Waits until every message is acknowledged, and stores the position of the consumer. */
    settle: async () => {
      await eventually(info, (found) => found.num_pending + found.num_ack_pending === 0)
      await ensureConsumer({ ...options, ackWaitMs: 10_000 })
    },
    lose: () => manager.consumers.delete(broker.streamName, name),
    /** Puts a consumer of that name at a message which the stream does not have yet. */
    putAhead: async () => {
      await manager.consumers.add(broker.streamName, {
        durable_name: name,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: 1_000_000,
      })
    },
  }
}

test('a consumer under 500 messages a second and more is never created again', async () => {
  const consumer = durable()
  await using _running = await consumer.start()
  const { created } = await consumer.info()
  let isPublishing = true
  const publisher = async () => {
    for (let count = 0; isPublishing && count < 5_000; count++) {
      await publish(1)
      await sleep(1)
    }
  }
  const published = Promise.all([publisher(), publisher(), publisher()])
  for (let checks = 0; checks < 40; checks++) await consumer.ensure()
  isPublishing = false
  await published
  const found = await consumer.info()
  expect(found.created).toBe(created)
  expect(found.delivered.stream_seq).toBeGreaterThan(100)
})

for (const [how, isAhead] of [
  ['that NATS has lost', false],
  ['that is ahead of its stream', true],
] as const) {
  test(`a consumer ${how} begins again after the messages it had acknowledged`, async () => {
    const before = await sumOf(resets)
    const consumer = durable()
    {
      await using _running = await consumer.start()
      const acknowledged = await publish(3)
      await consumer.settle()
      expect(consumer.received).toEqual(expect.arrayContaining(acknowledged))
    }
    await consumer.lose()
    if (isAhead) await consumer.putAhead()
    consumer.received.length = 0
    const later = await publish(2)
    await using _again = await consumer.start()
    await eventually(
      async () => consumer.received,
      ({ length }) => length >= 2,
    )
    await consumer.settle()
    expect(consumer.received.toSorted()).toEqual(later)
    expect((await sumOf(resets)) - before).toBe(1)
  })
}

test('a consumer begins with the first message of a stream that was wiped', async () => {
  const consumer = durable()
  {
    await using _running = await consumer.start()
    await publish(3)
    await consumer.settle()
  }
  const { broker } = messaging
  const { config } = await manager.streams.info(broker.streamName)
  await manager.streams.delete(broker.streamName)
  await manager.streams.add({ ...config, name: broker.streamName })
  consumer.received.length = 0
  const stored = await publish(5)
  await using _again = await consumer.start()
  await consumer.settle()
  expect(consumer.received.toSorted()).toEqual(stored)
})

test('a consumer without a position begins with the first message', async () => {
  const stored = await publish(1)
  const consumer = durable()
  await consumer.putAhead()
  await using _running = await consumer.start()
  await consumer.settle()
  expect(consumer.received).toEqual(expect.arrayContaining(stored))
})

import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import { AckPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { sql } from 'slonik'
import { z } from 'zod'
import { eventually } from '../../testing/boot.ts'
import {
  commit,
  createMessaging,
  settingsChange,
  storedMessages,
} from '../../testing/fixture/messaging.ts'
import { sumOf } from '../../testing/metrics.ts'
import { started } from '../../testing/started.ts'

let manager: JetStreamManager

const messaging = started(() => createMessaging({ duplicateWindowMs: 100 }))

beforeAll(async () => {
  manager = await jetstreamManager(messaging.broker.connection)
})

/** Commits changes of an account; returns its ID when they are marked as published. */
async function publish(count: number): Promise<{ accountId: string; ids: string[] }> {
  const accountId = newId('acct')
  const changes = Array.from({ length: count }, (_, index) => settingsChange(accountId, `${index}`))
  await commit(messaging.database, changes)
  await eventually(waiting, (left) => left === 0n)
  return { accountId, ids: changes.map(({ changeId }) => changeId) }
}

const Count = z.object({ count: z.bigint() })

const waiting = () =>
  messaging.database.pool.oneFirst(sql.type(Count)`
    SELECT count(*) FROM changes WHERE published_at IS NULL`)

/** Returns the messages of an account, as `{ seq, id }`, in the order of the stream. */
async function messagesOf(accountId: string) {
  const messages = await storedMessages(messaging.broker).catch(() => [])
  return messages
    .filter(({ header }) => header.get('Coffer-Account') === accountId)
    .map(({ seq, header }) => ({ seq, id: header.get('Nats-Msg-Id') }))
}

/** Polls until the stream has all changes of an account, in any order. */
async function untilStored({ accountId, ids }: { accountId: string; ids: string[] }) {
  await eventually(
    async () => (await messagesOf(accountId)).map(({ id }) => id),
    (found) => ids.every((id) => found.includes(id)),
  )
}

/** Polls until the audit has found all messages. */
async function untilChecked(): Promise<void> {
  await eventually(
    () =>
      messaging.database.pool.exists(sql.unsafe`
        SELECT FROM stream_positions
        WHERE checked >= (SELECT coalesce(max(stream_position), 0) FROM changes)`),
    (isChecked) => isChecked,
  )
}

const holes = 'coffer_sequence_holes_total'

test('a deleted message is counted, and published again', async () => {
  await using _relay = await messaging.relay()
  await using _audit = messaging.audit()
  const before = await sumOf(holes)
  const changes = await publish(5)
  const { accountId, ids } = changes
  await untilChecked()
  const [, second, third] = await messagesOf(accountId)
  for (const one of [second, third]) {
    await manager.streams.deleteMessage(messaging.broker.streamName, one?.seq ?? 0)
  }
  await untilStored(changes)
  const order = (await messagesOf(accountId)).map(({ id = '' }) => ids.indexOf(id))
  expect(order).toEqual([0, 3, 4, 1, 2])
  expect((await sumOf(holes)) - before).toBe(2)
})

test('a change that NATS drops as a duplicate is published again later', async () => {
  await using own = await createMessaging({ duplicateWindowMs: 2_000 })
  await using _relay = await own.relay()
  // Publishes again at once, within the duplicate window.
  await using _audit = own.audit({ marginMs: -2_000 })
  await eventually(
    () => own.database.pool.exists(sql.unsafe`SELECT FROM stream_positions`),
    (hasPosition) => hasPosition,
  )
  const changes = ['1', '2', '3'].map((name) => settingsChange(newId('acct'), name))
  await commit(own.database, changes)
  const stored = async () => {
    const messages = await storedMessages(own.broker).catch(() => [])
    return messages.map(({ header }) => header.get('Nats-Msg-Id'))
  }
  await eventually(stored, ({ length }) => length === 3)
  const ownManager = await jetstreamManager(own.broker.connection)
  await ownManager.streams.deleteMessage(own.broker.streamName, 2)
  await eventually(stored, (ids) => changes.every(({ changeId }) => ids.includes(changeId)), 10_000)
})

test('messages that were never stored are published again', async () => {
  await using _relay = await messaging.relay()
  const before = await sumOf(holes)
  const { accountId } = await publish(3)
  // NATS acknowledges before it syncs to disk: after a crash its stream ends earlier.
  await messaging.database.pool.query(sql.unsafe`
    UPDATE changes SET stream_position = stream_position + 1000 WHERE account_id = ${accountId}`)
  await using _audit = messaging.audit()
  await eventually(
    () => messagesOf(accountId),
    ({ length }) => length === 6,
  )
  expect((await sumOf(holes)) - before).toBe(3)
})

test('after the loss of the stream only unconfirmed changes are published again', async () => {
  await using _relay = await messaging.relay()
  await using _audit = messaging.audit()
  const { broker } = messaging
  const durable = { durable_name: 'reader', ack_policy: AckPolicy.Explicit }
  await manager.consumers.add(broker.streamName, durable)
  const { accountId: confirmed } = await publish(3)
  const reader = await broker.stream.consumers.get(broker.streamName, 'reader')
  const { num_pending: unread } = await reader.info()
  for await (const message of await reader.fetch({ max_messages: unread, expires: 5_000 })) {
    await message.ackAck()
  }
  await eventually(
    () =>
      messaging.database.pool.exists(sql.unsafe`
        SELECT FROM stream_positions WHERE acknowledged >=
          (SELECT max(stream_position) FROM changes WHERE account_id = ${confirmed})`),
    (isStored) => isStored,
  )
  const before = await sumOf('coffer_stream_losses_total')
  const unconfirmed = await publish(3)
  await untilChecked()
  await manager.streams.delete(broker.streamName)
  await untilStored(unconfirmed)
  expect(await messagesOf(confirmed)).toEqual([])
  expect((await sumOf('coffer_stream_losses_total')) - before).toBe(1)

  // Afterwards, holes of the new stream are found too.
  const later = await publish(2)
  await untilChecked()
  const [first] = await messagesOf(later.accountId)
  await manager.streams.deleteMessage(broker.streamName, first?.seq ?? 0)
  await untilStored(later)
})

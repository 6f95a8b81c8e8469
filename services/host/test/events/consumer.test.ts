import { setTimeout as sleep } from 'node:timers/promises'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { type Handler, isFirstDelivery, on } from '@coffer/kit/events/handler'
import { unavailable } from '@coffer/kit/rpc/errors'
import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import {
  AccountDeletionRequestedSchema,
  AccountSettingsChangedSchema,
} from '@coffer/proto/identity/v1/events'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { jetstreamManager } from '@nats-io/jetstream'
import { sql } from 'slonik'
import { type ConsumerOptions, startConsumer } from '../../src/events/consumer.ts'
import { eventually } from '../../testing/boot.ts'
import { requiredVariable } from '../../testing/database.ts'
import {
  commit,
  createMessaging,
  log,
  settingsChange,
  storedMessages,
} from '../../testing/fixture/messaging.ts'
import { started } from '../../testing/started.ts'

const messaging = started(() => createMessaging())
started(() => messaging.relay())

type Handle = Parameters<typeof on<typeof AccountSettingsChangedSchema>>[1]

/** Starts a durable consumer whose handler ignores the changes of other accounts. */
function consume(accountId: string, handle: Handle, options: Partial<ConsumerOptions> = {}) {
  const handler = on(AccountSettingsChangedSchema, async (event, delivery) => {
    if (delivery.accountId === accountId) await handle(event, delivery)
  })
  const { broker, database } = messaging
  const name = `c-${accountId}`
  return startConsumer({
    name,
    handlers: [handler],
    database,
    broker,
    log,
    retryPausesMs: [1, 1],
    ...options,
  })
}

const until = <T>(read: () => T, isDone: (value: T) => boolean) =>
  eventually(async () => read(), isDone)

test('a failed message is redelivered, and its effect happens once', async () => {
  const accountId = newId('acct')
  const { database } = messaging
  await database.pool.query(sql.unsafe`
    INSERT INTO connections (account_id, feed_link_id, name, version)
    VALUES (${accountId}, 'lfx_1', 'one', 1)`)
  const attempts: string[] = []
  await using _consumer = await consume(accountId, async (_event, delivery) => {
    attempts.push(delivery.changeId)
    if (attempts.length === 1) throw new Error('not yet')
    await database.transaction(async (tx) => {
      if (!(await isFirstDelivery(tx, delivery))) return
      await tx.query(sql.unsafe`
        UPDATE connections SET seen_version = seen_version + 1 WHERE account_id = ${accountId}`)
    })
    if (attempts.length === 2) throw new Error('died after the commit')
  })
  const change = settingsChange(accountId, 'one')
  await commit(database, [change])
  await until(
    () => attempts.length,
    (count) => count === 3,
  )
  expect(attempts).toEqual([change.changeId, change.changeId, change.changeId])
  const seen = await database.pool.oneFirst(sql.unsafe`
    SELECT seen_version FROM connections WHERE account_id = ${accountId}`)
  expect(seen).toBe(1n)
})

test('a message that always fails becomes a dead letter, and others are handled', async () => {
  const accountId = newId('acct')
  const handled: string[] = []
  let poisoned = 0
  await using _consumer = await consume(accountId, async ({ timezone }) => {
    if (timezone === 'poison') {
      poisoned++
      throw new Error('cannot be handled')
    }
    handled.push(timezone)
  })
  const poison = settingsChange(accountId, 'poison')
  await commit(messaging.database, [poison, settingsChange(accountId, 'fine')])
  const subject = messaging.broker.subject(`dead.c-${accountId}`)
  const dead = await eventually(
    async () => (await storedMessages(messaging.broker)).filter((one) => one.subject === subject),
    (found) => found.length > 0,
  )
  await until(
    () => handled,
    (names) => names.includes('fine'),
  )
  expect(handled).toEqual(['fine'])
  expect(poisoned).toBe(3)
  expect(dead).toHaveLength(1)
  expect(Buffer.from(dead[0]!.data).equals(poison.payload)).toBe(true)
  expect(dead[0]!.header.get('Coffer-Change')).toBe(poison.changeId)
  expect(dead[0]!.header.get('Coffer-Account')).toBe(accountId)
})

test('an outage of a database or service never makes dead letters', async () => {
  const accountId = newId('acct')
  const faults = [
    unavailable('busy'),
    Object.assign(new Error('lost'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('shutting down'), { cause: { code: '57P01' } }),
    Object.assign(new Error('only reads'), { code: '25006' }),
    new ConnectError('late', Code.DeadlineExceeded),
    unavailable('still busy'),
  ]
  let attempts = 0
  let done = false
  await using _consumer = await consume(accountId, async () => {
    const fault = faults[attempts++]
    if (fault) throw fault
    done = true
  })
  await commit(messaging.database, [settingsChange(accountId, 'patient')])
  await until(
    () => done,
    (isDone) => isDone,
  )
  expect(attempts).toBe(7)
})

test('the message of a slow handler is not redelivered', async () => {
  const accountId = newId('acct')
  let deliveries = 0
  let done = false
  const handle = async () => {
    deliveries++
    // Longer than the acknowledgement timeout, after which NATS would redeliver.
    await sleep(1_200)
    done = true
  }
  await using _consumer = await consume(accountId, handle, { ackWaitMs: 300 })
  await commit(messaging.database, [settingsChange(accountId, 'slow')])
  await until(
    () => done,
    (isDone) => isDone,
  )
  const manager = await jetstreamManager(messaging.broker.connection)
  const info = await eventually(
    () => manager.consumers.info(messaging.broker.streamName, `c-${accountId}`),
    ({ num_ack_pending }) => num_ack_pending === 0,
  )
  expect(info.num_redelivered).toBe(0)
  expect(deliveries).toBe(1)
})

/** Returns functions that start an older and a newer version of one service's consumer. */
function versions(accountId: string) {
  const handled = { settings: 0, deletions: [] as string[] }
  const ours = (delivery: { accountId: string }) => delivery.accountId === accountId
  const settings = on(AccountSettingsChangedSchema, async (_event, delivery) => {
    if (ours(delivery)) handled.settings++
  })
  const deletions = on(AccountDeletionRequestedSchema, async (_event, delivery) => {
    if (ours(delivery)) handled.deletions.push(delivery.changeId)
  })
  const run = (handlers: Handler[]) =>
    startConsumer({
      name: `c-${accountId}`,
      handlers,
      database: messaging.database,
      broker: messaging.broker,
      log,
      retryPausesMs: [20, 500],
    })
  const request = (entityId: string) =>
    changeOf(AccountDeletionRequestedSchema, { accountId, entityId, version: 1n }, { accountId })
  return {
    handled,
    older: () => run([settings]),
    newer: () => run([settings, deletions]),
    /** Creates changes for which only the newer version has a handler. */
    requests: (count: number) => Array.from({ length: count }, (_, index) => request(`${index}`)),
  }
}

test('a message without a handler in an older version reaches the newer one', async () => {
  const accountId = newId('acct')
  const { handled, older, newer, requests } = versions(accountId)
  await using _newer = await newer()
  await using _older = await older()
  const changes = requests(40)
  await commit(messaging.database, changes)
  await until(
    () => handled.deletions.length,
    (count) => count >= 40,
  )
  expect(handled.deletions.sort()).toEqual(changes.map(({ changeId }) => changeId).sort())
})

test('messages without a handler wait, and do not block other messages', async () => {
  const accountId = newId('acct')
  const { handled, older, newer, requests } = versions(accountId)
  await (await newer())[Symbol.asyncDispose]()
  await using alone = new AsyncDisposableStack()
  alone.use(await older())
  // More messages than JetStream's default limit of 1,000 unacknowledged messages.
  const changes = requests(1_100)
  const { database, broker } = messaging
  await database.transaction((tx) => emit(tx, ...changes))
  const manager = await jetstreamManager(broker.connection)
  await eventually(
    () => manager.consumers.info(broker.streamName, `c-${accountId}`),
    ({ num_ack_pending }) => num_ack_pending >= 1_100,
  )
  await commit(database, [settingsChange(accountId, 'known')])
  await until(
    () => handled.settings,
    (count) => count === 1,
  )
  await alone.disposeAsync()
  await using _newer = await newer()
  await until(
    () => handled.deletions.length,
    (count) => count >= 1_100,
  )
  expect(new Set(handled.deletions).size).toBe(1_100)
})

test('concurrency of handlers is bounded; stopping waits for them', async () => {
  const accountId = newId('acct')
  const gate = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  let finished = 0
  const consumer = await consume(accountId, async () => {
    running++
    most = Math.max(most, running)
    await gate.promise
    running--
    finished++
  })
  const changes = Array.from({ length: 100 }, (_, index) => settingsChange(accountId, `${index}`))
  await commit(messaging.database, changes)
  await until(
    () => running,
    (count) => count === 64,
  )
  const stopped = consumer[Symbol.asyncDispose]()
  expect(finished).toBe(0)
  gate.resolve()
  await stopped
  expect(running).toBe(0)
  expect(finished).toBeGreaterThanOrEqual(64)
  expect(most).toBe(64)
})

test('a consumer continues after its connection broke, and after the server lost it', async () => {
  const accountId = newId('acct')
  await using proxy = await startProxy(requiredVariable('COFFER_TEST_NATS_URL'))
  await using broker = await messaging.connect(proxy.url)
  const handled = new Set<string>()
  const handle: Handle = async ({ timezone }) => {
    handled.add(timezone)
  }
  await using _consumer = await consume(accountId, handle, { broker })
  const sees = async (name: string) => {
    await commit(messaging.database, [settingsChange(accountId, name)])
    await until(
      () => handled.has(name),
      (isSeen) => isSeen,
    )
  }
  await sees('one')
  proxy.cut()
  proxy.mend()
  await sees('two')
  const manager = await jetstreamManager(messaging.broker.connection)
  await manager.consumers.delete(messaging.broker.streamName, `c-${accountId}`)
  await sees('three')
})

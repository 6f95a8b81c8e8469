import { emit, insertChanges } from '@coffer/kit/events/changes'
import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { republish } from '../../src/events/replay.ts'
import { eventually } from '../../testing/boot.ts'
import { requiredVariable } from '../../testing/database.ts'
import {
  commit,
  createMessaging,
  settingsChange,
  storedMessages,
} from '../../testing/fixture/messaging.ts'
import { keepLogLines } from '../../testing/log-lines.ts'
import { metricValue } from '../../testing/metrics.ts'
import { started } from '../../testing/started.ts'

const messaging = started(() => createMessaging())

const changesFor = (accountId: string, count: number) =>
  Array.from({ length: count }, (_, index) => settingsChange(accountId, `${index}`))

/** Returns the IDs of an account's messages, in the order of the stream. */
async function published(accountId: string) {
  const messages = await storedMessages(messaging.broker)
  return messages
    .filter(({ header }) => header.get('Coffer-Account') === accountId)
    .map(({ header }) => header.get('Nats-Msg-Id'))
}

const reaches = (accountId: string, count: number) =>
  eventually(
    () => published(accountId),
    (found) => found.length >= count,
  )

const waiting = () =>
  messaging.database.pool.oneFirst(sql.type(z.object({ count: z.bigint() }))`
    SELECT count(*) FROM changes WHERE published_at IS NULL`)

const setAside = () => metricValue('coffer_dead_letters_total', { consumer: 'relay' })

const allMarked = () => eventually(waiting, (count) => count === 0n)

test('the changes of a commit are published in the order of their IDs', async () => {
  await using _relay = await messaging.relay()
  const [one, two] = [newId('acct'), newId('acct')]
  const changes = changesFor(one, 10).flatMap((change, index) => [
    change,
    settingsChange(two, `${index}`),
  ])
  await commit(messaging.database, changes)
  for (const accountId of [one, two]) {
    const ids = changes.filter((change) => change.accountId === accountId)
    expect(await reaches(accountId, 10)).toEqual(ids.map(({ changeId }) => changeId))
  }
})

test('a change that is rolled back is never published', async () => {
  await using _relay = await messaging.relay()
  const accountId = newId('acct')
  const [undone, done] = [settingsChange(accountId, 'a'), settingsChange(accountId, 'b')]
  const failing = messaging.database.transaction(async (tx) => {
    await emit(tx, undone)
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await commit(messaging.database, [done])
  expect(await reaches(accountId, 1)).toEqual([done.changeId])
})

test('a change that was created long before its commit is published', async () => {
  await using _relay = await messaging.relay()
  const accountId = newId('acct')
  const [old, recent] = [settingsChange(accountId, 'old'), settingsChange(accountId, 'recent')]
  // Polls find these two, so after them the search of a commit leaves out older changes.
  for (const polled of changesFor(newId('acct'), 2)) {
    await messaging.database.pool.query(sql.unsafe`${insertChanges([polled])}`)
    await allMarked()
  }
  await commit(messaging.database, [recent])
  await reaches(accountId, 1)
  await commit(messaging.database, [old])
  expect(await reaches(accountId, 2)).toEqual([recent.changeId, old.changeId])
})

test('two concurrent relays publish each change once', async () => {
  await using _one = await messaging.relay()
  await using _two = await messaging.relay()
  const accountId = newId('acct')
  const changes = changesFor(accountId, 120)
  const writers = [0, 1, 2, 3].map((writer) =>
    commit(
      messaging.database,
      changes.filter((_, index) => index % 4 === writer),
    ),
  )
  await Promise.all(writers)
  await allMarked()
  const found = await published(accountId)
  expect(found.sort()).toEqual(changes.map(({ changeId }) => changeId).sort())
})

test('a change that is published again after a crash is in the stream once', async () => {
  await using _relay = await messaging.relay()
  const accountId = newId('acct')
  await commit(messaging.database, changesFor(accountId, 5))
  await allMarked()
  const before = await published(accountId)
  // Simulates a crash between JetStream's acknowledgement and the UPDATE that marks the changes.
  expect(await republish(messaging.database, null)).toBeGreaterThanOrEqual(5)
  await allMarked()
  expect(await published(accountId)).toEqual(before)
})

test('changes committed while NATS is away are published when it is back', async () => {
  await using proxy = await startProxy(requiredVariable('COFFER_TEST_NATS_URL'))
  await using broker = await messaging.connect(proxy.url)
  await using _relay = await messaging.relay(broker)
  const accountId = newId('acct')
  await commit(messaging.database, changesFor(accountId, 3))
  await allMarked()
  proxy.cut()
  await commit(messaging.database, changesFor(accountId, 20))
  expect(await waiting()).toBe(20n)
  proxy.mend()
  const found = await reaches(accountId, 23)
  expect(new Set(found).size).toBe(23)
  await allMarked()
})

const backlogOf = (service: string) => metricValue('coffer_relay_backlog', { service })

test('a relay cut off from NATS logs its recovery only once NATS answers it', async () => {
  await using proxy = await startProxy(requiredVariable('COFFER_TEST_NATS_URL'))
  proxy.cut()
  const { log, lines } = keepLogLines()
  const logged = async () => lines().map(({ msg }) => msg)
  await using broker = await messaging.connect(proxy.url)
  await using _relay = await messaging.relay(broker, { service: 'cut-off', log })
  const accountId = newId('acct')
  await commit(messaging.database, changesFor(accountId, 1))
  await eventually(logged, ({ length }) => length === 1)
  {
    await using _other = await messaging.relay()
    await allMarked()
    await eventually(
      () => backlogOf('cut-off'),
      (count) => count === 0,
    )
  }
  await commit(messaging.database, changesFor(accountId, 1))
  await eventually(
    () => backlogOf('cut-off'),
    (count) => count === 1,
  )
  proxy.mend()
  await allMarked()
  expect(await eventually(logged, (found) => found.length > 1)).toEqual([
    'changes could not be published yet',
    'changes are published again',
  ])
})

test('a failure during the start is retried, and logged once it outlasts the start', async () => {
  await using proxy = await startProxy(requiredVariable('COFFER_TEST_NATS_URL'))
  const { log, lines } = keepLogLines()
  const logged = async () => lines().map(({ msg }) => msg)
  await using broker = await messaging.connect(proxy.url)
  proxy.cut()
  let starts = true
  let begun = 0
  const beat = () => {
    begun += 1
  }
  const names = { service: 'starting', log, isStarting: () => starts, beat }
  await using _relay = await messaging.relay(broker, names)
  await commit(messaging.database, changesFor(newId('acct'), 1))
  // Two beats an attempt: with the fifth, the third attempt begins.
  await eventually(
    async () => begun,
    (count) => count > 4,
  )
  expect(await logged()).toEqual([])
  starts = false
  await eventually(logged, ({ length }) => length === 1)
  proxy.mend()
  await allMarked()
  expect(await eventually(logged, (found) => found.length > 1)).toEqual([
    'changes could not be published yet',
    'changes are published again',
  ])
})

test('changes that are too large for NATS are put aside and block no others', async () => {
  await using broker = await messaging.connect()
  // Lowers the maximum message size from the server's 1 MiB, so that small messages exceed it.
  const { info } = broker.connection
  if (info) info.max_payload = 1_024
  const accountId = newId('acct')
  const oversized = Array.from({ length: 600 }, () => settingsChange(accountId, 'x'.repeat(1_024)))
  const others = changesFor(accountId, 3)
  await messaging.database.transaction((tx) => emit(tx, ...oversized, ...others))
  await using _relay = await messaging.relay(broker)
  const found = await reaches(accountId, 3)
  expect(found).toEqual(others.map(({ changeId }) => changeId))
  await allMarked()
  expect(await setAside()).toBe(600)
})

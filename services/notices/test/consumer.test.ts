import { republish } from '@coffer/host/events/replay'
import { toldEventsOf } from '@coffer/host/events/told-events'
import { boot, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { ObjectsChangedSchema as ofBudgeting } from '@coffer/proto/budgeting/v1/events'
import { EnvelopesChangedSchema, ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { auditFeeds } from '../src/deliveries/audit.sql.ts'
import { notices } from '../src/service.ts'

const booted = started(() => boot([notices]))

const schemas = [ObjectsChangedSchema, ofBudgeting]

/** Publishes events of three types through the outbox of notices; returns the object IDs. */
async function tell(accountId: string, count: number, objectId = () => newId('txn')) {
  const objectIds = Array.from({ length: count }, objectId)
  const changes = objectIds.map((id, index) => {
    const objects = [{ type: 'transaction.updated', objectId: id, version: 1n }]
    const cause = { actor: 'key', causeId: 'lunch-1' }
    const subject = { accountId, entityId: accountId, version: 1n }
    const event = { accountId, objects, cause }
    const schema = schemas[index % 3]
    if (schema) return changeOf(schema, subject, event)
    const parts = { accountId, told: [{ ...event, objects: [] }, event] }
    return changeOf(EnvelopesChangedSchema, subject, parts)
  })
  await booted.database('notices').transaction((tx) => emit(tx, ...changes))
  return objectIds
}

async function entriesOf(accountId: string, count: number) {
  const feed = booted.client('notices', FeedService)
  const read = () => feed.listChanges({ limit: 500 }, booted.as(accountId))
  return (await eventually(read, ({ changes }) => changes.length >= count)).changes
}

test('events of services get one entry each, also of a replay into an empty NATS', async () => {
  const accountId = newId('acct')
  const objectIds = await tell(accountId, 70)
  const first = await entriesOf(accountId, 70)
  expect(first.map(({ objectId }) => objectId).toSorted()).toEqual(objectIds.toSorted())
  expect(first[0]).toMatchObject({ actor: 'key', causeId: 'lunch-1', version: 1n })
  const manager = await booted.broker.stream.jetstreamManager()
  await manager.streams.delete(booted.broker.streamName)
  expect(await republish(booted.database('notices'), null)).toBe(70)
  await tell(accountId, 1)
  const second = await entriesOf(accountId, 71)
  expect(second.slice(0, 70)).toEqual(first)
})

test('an event that cannot be stored holds up no other', async () => {
  const accountId = newId('acct')
  // Postgres stores no text with the character of code 0.
  await tell(newId('acct'), 1, () => 'txn_\u0000')
  const objectIds = await tell(accountId, 20)
  const entries = await entriesOf(accountId, 20)
  expect(entries.map(({ objectId }) => objectId).toSorted()).toEqual(objectIds.toSorted())
})

test('the audit compares the events that were sent an hour ago with the feed', async () => {
  const accountId = newId('acct')
  const database = booted.database('notices')
  await tell(accountId, 3)
  const subject = { accountId, entityId: accountId, version: 1n }
  const silent = changeOf(EnvelopesChangedSchema, subject, { accountId, told: [] })
  await database.transaction((tx) => emit(tx, silent))
  await entriesOf(accountId, 3)
  const sentBefore = (minutes: number) =>
    database.pool.query(sql.unsafe`
      UPDATE changes SET published_at = now() - make_interval(mins => ${minutes})
      WHERE account_id = ${accountId}`)
  const listed = async () => {
    const found: { accountId: string; eventId: string }[] = []
    for await (const page of toldEventsOf(database)) found.push(...page)
    return found.filter((one) => one.accountId === accountId)
  }
  await sentBefore(50)
  expect(await listed()).toEqual([])
  await sentBefore(70)
  expect(await listed()).toHaveLength(3)
  const findings = async () =>
    (await auditFeeds(database, toldEventsOf(database))).filter(
      (one) => one.accountId === accountId,
    )
  expect(await findings()).toEqual([])
  const [lost] = await listed()
  await database.pool.query(sql.unsafe`DELETE FROM inbox WHERE change_id = ${lost?.eventId ?? ''}`)
  expect((await findings()).map(({ detail }) => detail)).toEqual([lost?.eventId, lost?.eventId])
})

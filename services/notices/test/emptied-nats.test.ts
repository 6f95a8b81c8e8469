import { once } from 'node:events'
import { republish } from '@coffer/host/events/replay'
import { boot, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { ObjectsChangedSchema } from '@coffer/proto/budgeting/v1/events'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { expect, test } from '@jest/globals'
import { notices } from '../src/service.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'

const type = 'transaction.updated'
const accountId = newId('acct')
const objectIds = Array.from({ length: 5 }, () => newId('txn'))
const paths = ['/hook/one', '/hook/other']
const rounds = 2
const changesEach = 2 * rounds

const receiver = started(() => startReceiver())
const booted = started(() => boot([notices], { COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host }))

/** Tells a change of each object. */
async function tell(version: bigint): Promise<void> {
  const changes = objectIds.map((objectId) => {
    const objects = [{ type, objectId, version }]
    const subject = { accountId, entityId: objectId, version }
    return changeOf(ObjectsChangedSchema, subject, { accountId, objects, cause: {} })
  })
  await booted.database('notices').transaction((tx) => emit(tx, ...changes))
}

/** Resolves when NATS has the stream, which is created again when a message is published. */
async function untilStream() {
  const { streams } = await booted.broker.stream.jetstreamManager()
  const hasStream = () => streams.info(booted.broker.streamName).then(Boolean, () => false)
  await eventually(hasStream, Boolean)
  return streams
}

/** Deletes all messages of NATS, and publishes what the outbox has again. */
async function emptyNats(): Promise<void> {
  const streams = await untilStream()
  await streams.delete(booted.broker.streamName)
  await republish(booted.database('notices'), null)
}

/** Holds the answers of the receiver back until the returned function is called. */
function holdAnswers() {
  const arrivals = new EventTarget()
  const held: (() => void)[] = []
  const arrived = once(arrivals, 'held')
  receiver.respond((response) => {
    held.push(() => response.writeHead(204).end())
    arrivals.dispatchEvent(new Event('held'))
  })
  const release = () => {
    receiver.respond((response) => response.writeHead(204).end())
    for (const answer of held) answer()
  }
  return { arrived, release }
}

/** Returns the IDs of the changes of an object in the order in which they first came. */
function arrivedOf(at: string, objectId: string): string[] {
  const sent = receiver.requests.filter(({ path, data }) => {
    return path === at && data.objectId === objectId
  })
  return [...new Set(sent.map(({ id }) => id))]
}

test('NATS emptied between and during deliveries loses no change and no order', async () => {
  const as = booted.as(accountId)
  for (const path of paths) {
    const request = { url: new URL(path, receiver.url).href, types: [type] }
    await booted.client('notices', WebhookService).createWebhook(request, as)
  }
  for (let round = 0; round < rounds; round += 1) {
    const { arrived, release } = holdAnswers()
    await tell(BigInt(2 * round + 1))
    await arrived
    await emptyNats()
    await tell(BigInt(2 * round + 2))
    release()
    await emptyNats()
  }
  await untilStream()
  const feed = booted.client('notices', FeedService)
  const read = async () => (await feed.listChanges({ limit: 500, types: [type] }, as)).changes
  const all = changesEach * objectIds.length
  await eventually(read, ({ length }) => length >= all)
  const counts = async () => paths.flatMap((at) => objectIds.map((id) => arrivedOf(at, id).length))
  await eventually(counts, (found) => found.every((count) => count === changesEach))
  const told = await read()
  expect(told).toHaveLength(all)
  for (const id of objectIds) {
    const ofObject = told.filter(({ objectId }) => objectId === id)
    const versions = ofObject.map(({ version }) => Number(version)).toSorted()
    expect(versions).toEqual(Array.from({ length: changesEach }, (_, index) => index + 1))
    const ids = ofObject.map(({ changeId }) => changeId)
    for (const at of paths) expect([at, arrivedOf(at, id)]).toEqual([at, ids])
  }
})

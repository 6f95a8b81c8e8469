import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { expect, test } from '@jest/globals'
import { Webhook as Library } from 'standardwebhooks'
import { removeOld } from '../src/deliveries/webhook-sweep.service.ts'
import type { Received, Respond } from '../testing/webhook-receiver.ts'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks())

const ok: Respond = (response) => response.writeHead(200).end('thanks')
const fail =
  (status = 500, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(`status ${status}`)

/** Lets the receiver answer, and returns the requests from now on. */
function receive(by: Respond): () => Received[] {
  const before = booted.receiver.requests.length
  booted.receiver.respond(by)
  return () => booted.receiver.requests.slice(before)
}

const idsOf = (requests: Received[]) => requests.map(({ id }) => id)

test('each change is sent once, in the order of the feed, verified by the library', async () => {
  const { accountId, webhookId, secret, append, serve, deliveries } = await booted.account()
  const received = receive(ok)
  const [one, other] = [newId('txn'), newId('txn')]
  const ids = await append(one, other, one, one)
  expect(await serve()).toEqual({ dueAt: null })
  expect(idsOf(received()).toSorted()).toEqual(ids.toSorted())
  const ofOne = received().filter(({ data }) => data.objectId === one)
  expect(idsOf(ofOne)).toEqual([ids[0], ids[2], ids[3]])
  for (const { body, headers } of received()) {
    const change = new Library(secret).verify(body, headers) as Received
    expect(change).toMatchObject({ type: 'transaction.updated', data: { version: 7 } })
    expect(() => new Library(secret).verify(`${body} `, headers)).toThrow()
  }
  expect(await serve()).toEqual({ dueAt: null })
  expect(received()).toHaveLength(4)
  const listed = await deliveries()
  expect(listed).toHaveLength(4)
  expect(listed[0]).toMatchObject({ webhookId, status: 'delivered', attempts: 1, answer: 'thanks' })
  const others = await booted.account()
  expect([await others.deliveries(), accountId === others.accountId]).toEqual([[], false])
})

test('an object waits for its failed delivery, others go on; then its order is kept', async () => {
  const { append, serve, after, deliveries } = await booted.account()
  const [bad, good] = [newId('txn'), newId('txn')]
  const received = receive((response, { data }) => {
    response.writeHead(data.objectId === bad ? 500 : 200).end()
  })
  const ids = await append(bad, good, bad)
  const { dueAt } = await serve()
  expect(idsOf(received())).toEqual([ids[0], ids[1]])
  const [later] = await append(good)
  await serve()
  expect(idsOf(received())).toEqual([ids[0], ids[1], later])
  const waits = await deliveries('pending')
  expect(
    waits.map(({ changeId, attempts, nextAttemptAt }) => [changeId, attempts, !nextAttemptAt]),
  ).toEqual([
    [ids[2], 0, true],
    [ids[0], 1, false],
  ])
  expect(dueAt).toEqual(timestampDate(waits[1]?.nextAttemptAt as never))
  booted.receiver.respond(ok)
  after(6_000)
  expect(await serve()).toEqual({ dueAt: null })
  expect(idsOf(received()).slice(3)).toEqual([ids[0], ids[2]])
})

test('a webhook that fails rests, is probed by few requests, and catches up', async () => {
  const { append, serve, after, webhook } = await booted.account()
  const received = receive(fail(503))
  const ids = await append(...Array.from({ length: 40 }, () => newId('txn')))
  const { dueAt } = await serve()
  const first = received().length
  // Four failures end the round; requests under way, at most eight, are not stopped.
  expect(first).toBeLessThan(4 + 8)
  expect(dueAt).not.toBeNull()
  expect((await webhook())?.failingSince).toBeDefined()
  expect(await serve()).toEqual({ dueAt })
  expect(received()).toHaveLength(first)
  after(6_000)
  await serve()
  expect(received().length - first).toBeLessThanOrEqual(4)
  booted.receiver.respond(ok)
  after(hourMs)
  // On a busy machine a run may end while changes are due.
  await eventually(serve, ({ dueAt }) => dueAt === null)
  expect(new Set(idsOf(received()))).toEqual(new Set(ids))
  expect((await webhook())?.failingSince).toBeUndefined()
})

test.each([
  ['seconds', '120', 120_000],
  ['at most a day', '999999', dayMs],
])('the header Retry-After is kept to: %s', async (_kind, retryAfter, pauseMs) => {
  const { append, serve, clock } = await booted.account()
  clock.now = new Date()
  receive(fail(429, { 'retry-after': retryAfter }))
  await append(newId('txn'))
  const { dueAt } = await serve()
  expect(dueAt?.getTime()).toBe(clock.now.getTime() + pauseMs)
})

test('three days of failures switch a webhook off, and its owner is told', async () => {
  const { accountId, append, serve, clock, webhook, deliveries, clients } = await booted.account()
  clock.now = new Date()
  const received = receive(fail())
  const [first] = await append(newId('txn'))
  const startedAt = clock.now.getTime()
  for (let { dueAt } = await serve(); dueAt !== null; { dueAt } = await serve()) {
    clock.now = dueAt
  }
  // The last attempt may wait for the end of a rest of five minutes.
  expect((clock.now.getTime() - startedAt) / dayMs).toBeCloseTo(3, 1)
  expect(new Set(idsOf(received()))).toEqual(new Set([first]))
  expect(received().length).toBeGreaterThan(8)
  expect(await webhook()).toMatchObject({ isEnabled: false, disabledReason: 'failing' })
  expect(await deliveries()).toMatchObject([{ status: 'failed', answerStatus: 500 }])
  const told = 'coffer.notices.v1.WebhookSwitchedOff'
  expect(await booted.changes('notices', accountId)).toEqual([told])
  await expect(clients.deliveries.ping()).rejects.toThrow('switched off')
  // Switched on again, it begins at the present; the rest is sent on request.
  booted.receiver.respond(ok)
  await append(newId('txn'))
  await clients.webhooks.update({ isEnabled: true })
  const [later] = await append(newId('txn'))
  const before = received().length
  await serve()
  expect(idsOf(received()).slice(before)).toEqual([later])
})

test('three days begin with a change, also behind another one that fails', async () => {
  const { append, serve, after, clock, deliveries } = await booted.account()
  const bad = newId('txn')
  receive((response, { data }) => response.writeHead(data.objectId === bad ? 500 : 200).end())
  await append(bad, bad)
  clock.now = new Date()
  const endsAt = clock.now.getTime() + 4 * dayMs
  while (clock.now.getTime() < endsAt) {
    await append(newId('txn'))
    await serve()
    after(hourMs)
  }
  expect([(await deliveries('failed')).length, await deliveries('pending')]).toEqual([2, []])
})

test('an outage of the server does not count in the three days', async () => {
  const { append, serve, after, clock, webhook, deliveries } = await booted.account()
  clock.now = new Date()
  const received = receive(fail())
  const [id] = await append(newId('txn'))
  await serve()
  after(5 * dayMs)
  const again = clock.now.getTime()
  let { dueAt } = await serve()
  expect(await webhook()).toMatchObject({ isEnabled: true })
  expect(await deliveries('pending')).toMatchObject([{ changeId: id, attempts: 2 }])
  for (; dueAt !== null; { dueAt } = await serve()) clock.now = dueAt
  expect((clock.now.getTime() - again) / dayMs).toBeCloseTo(3, 1)
  expect(await webhook()).toMatchObject({ isEnabled: false, disabledReason: 'failing' })
  expect(new Set(idsOf(received()))).toEqual(new Set([id]))
})

test('another URL gets what waits at once, without the rest of the former one', async () => {
  const { append, serve, webhook, clients } = await booted.account()
  const received = receive((response, { path }) => {
    response.writeHead(path === '/hook' ? 500 : 200, { 'retry-after': '3600' }).end()
  })
  const [id] = await append(newId('txn'))
  await serve()
  await clients.webhooks.update({ url: `${booted.receiver.url}/new` })
  expect((await webhook())?.failingSince).toBeUndefined()
  expect(await serve()).toEqual({ dueAt: null })
  expect(received().map(({ id, path }) => [id, path])).toEqual([
    [id, '/hook'],
    [id, '/hook/new'],
  ])
})

test('410 switches a webhook off at once', async () => {
  const { accountId, append, serve, webhook } = await booted.account()
  receive(fail(410))
  await append(newId('txn'))
  expect(await serve()).toEqual({ dueAt: null })
  expect(await webhook()).toMatchObject({ isEnabled: false, disabledReason: 'gone' })
  expect(await booted.changes('notices', accountId)).toHaveLength(1)
})

test('only the types that a webhook names are sent', async () => {
  const { append, serve } = await booted.account(['transaction.created'])
  const received = receive(ok)
  await append(newId('txn'))
  expect([await serve(), received()]).toEqual([{ dueAt: null }, []])
})

test('a delivery is sent again on request, and all since an instant', async () => {
  const { append, serve, deliveries, clients } = await booted.account()
  const received = receive(ok)
  const ids = await append(newId('txn'), newId('txn'))
  await serve()
  const [{ deliveryId = '' } = {}] = await deliveries()
  const { delivery } = await clients.deliveries.resend(deliveryId)
  expect(delivery).toMatchObject({ status: 'pending', attempts: 0 })
  await serve()
  expect(idsOf(received())).toHaveLength(3)
  await clients.deliveries.resendSince(timestampFromDate(new Date(Date.now() - hourMs)))
  await serve()
  expect(idsOf(received()).slice(3).toSorted()).toEqual(ids.toSorted())
  for (const ms of [31 * dayMs, -hourMs]) {
    const since = timestampFromDate(new Date(Date.now() - ms))
    await expect(clients.deliveries.resendSince(since)).rejects.toThrow('Invalid request')
  }
  const { deliveries: page, hasMore } = await clients.deliveries.page(3)
  const rest = await clients.deliveries.page(3, page.at(-1)?.deliveryId)
  expect([page.length, hasMore, rest.deliveries.length, rest.hasMore]).toEqual([3, true, 1, false])
})

test('a test is sent like a change', async () => {
  const { secret, serve, clients, webhookId } = await booted.account()
  const received = receive(ok)
  const { delivery } = await clients.deliveries.ping()
  await serve()
  const [request] = received()
  expect(new Library(secret).verify(request?.body ?? '', request?.headers ?? {})).toMatchObject({
    type: 'webhook.ping',
    data: { webhookId },
  })
  const { delivery: sent } = await clients.deliveries.get(delivery?.deliveryId ?? '')
  expect(sent).toMatchObject({ status: 'delivered', answerStatus: 200 })
  const asked = Array.from({ length: 10 }, () => clients.deliveries.ping())
  await Promise.all(asked)
  await expect(clients.deliveries.ping()).rejects.toThrow('10 tests wait already')
})

test('while the secret changes, requests have signatures of both', async () => {
  const { secret, append, serve, clock, after, clients } = await booted.account()
  const received = receive(ok)
  const next = await clients.webhooks.rotate()
  const verifies = async () => {
    await append(newId('txn'))
    await serve()
    const { body = '', headers = {} } = received().at(-1) ?? {}
    // The library compares the time with the present.
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    return [secret, next?.secret ?? ''].map((one) => {
      return headers['webhook-signature']?.includes(
        new Library(one).sign(headers['webhook-id'] ?? '', at, body),
      )
    })
  }
  expect(await verifies()).toEqual([true, true])
  after(25 * hourMs)
  expect(await verifies()).toEqual([false, true])
  clock.now = null
  await clients.webhooks.endFormer()
  expect(await verifies()).toEqual([false, true])
})

test('processes that serve a webhook at once send each change once', async () => {
  const { append, serve } = await booted.account()
  const received = receive(ok)
  const ids: string[] = []
  for (let round = 0; round < 5; round += 1) {
    ids.push(...(await append(newId('txn'), newId('txn'))))
    await Promise.all([serve(), serve(), serve()])
  }
  await serve()
  expect(idsOf(received()).toSorted()).toEqual(ids.toSorted())
})

test('deliveries are removed after 30 days, and those of a deleted webhook', async () => {
  const [old, deleted] = [await booted.account(), await booted.account()]
  receive(ok)
  for (const { append, serve } of [old, deleted]) {
    await append(newId('txn'))
    await serve()
  }
  await deleted.clients.webhooks.remove()
  await expect(deleted.deliveries()).rejects.toThrow('webhook: record does not exist')
  await deleted.append(newId('txn'))
  expect(await deleted.serve()).toEqual({ dueAt: null })
  await removeOld(booted.deps)
  expect(await old.deliveries()).toHaveLength(1)
  const clock = () => new Date(Date.now() + 31 * dayMs)
  await removeOld({ ...booted.deps, clock })
  expect(await old.deliveries()).toEqual([])
})

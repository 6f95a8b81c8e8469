import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { holdTransaction } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { WebhookSchema, WebhookService } from '@coffer/proto/notices/v1/webhook'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { Webhook as Library } from 'standardwebhooks'
import { z } from 'zod'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks({ COFFER_WEBHOOKS_MAX: '3' }))

test('a webhook has its secret in the answer that creates it, and never again', async () => {
  const { secret, webhookId, webhook, clients } = await booted.account(['rule.updated'])
  expect(secret).toMatch(/^whsec_/)
  const shown = { webhookId, url: booted.receiver.url, types: ['rule.updated'], isEnabled: true }
  expect(await webhook()).toMatchObject({ ...shown, createdWith: 'session' })
  for (const one of [await webhook(), ...(await clients.webhooks.list())]) {
    expect(one?.secret).toBeUndefined()
  }
  const rows = await booted.deps.database.pool.any(sql.type(z.object({ row: z.string() }))`
    SELECT webhook_secrets::text AS row FROM webhook_secrets WHERE webhook_id = ${webhookId}`)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.row).not.toContain(secret.slice('whsec_'.length))
})

test.each([
  [{ url: 'https://127.0.0.1/' }, 'url'],
  [{ url: 'http://example.com/' }, 'url'],
  [{ types: { types: ['rule.gone'] } }, 'types'],
  [{ description: 'x'.repeat(301) }, 'description'],
])('a change to %j is refused', async (change, field) => {
  const { clients, webhook } = await booted.account()
  const before = await webhook()
  const error = ConnectError.from(await clients.webhooks.update(change).catch((thrown) => thrown))
  expect(Object.keys(problemsOf(error) ?? {})).toEqual([field])
  expect(await webhook()).toEqual(before)
})

test('a webhook is changed, switched off and on, and deleted', async () => {
  const { clients, webhook } = await booted.account()
  const url = 'https://example.com/hook'
  const change = { url, types: { types: ['rule.updated', 'rule.created', 'rule.created'] } }
  expect(await clients.webhooks.update({ ...change, description: 'Sheet' })).toMatchObject({
    url,
    types: ['rule.created', 'rule.updated'],
    description: 'Sheet',
    isEnabled: true,
  })
  const off = await clients.webhooks.update({ isEnabled: false })
  expect([off?.isEnabled, off?.disabledReason, off?.disabledAt]).toEqual([
    false,
    undefined,
    expect.anything(),
  ])
  expect((await clients.webhooks.update({ isEnabled: true }))?.disabledAt).toBeUndefined()
  await clients.webhooks.remove()
  for (const gone of [webhook, clients.webhooks.remove, clients.webhooks.rotate]) {
    await expect(gone()).rejects.toThrow('webhook: record does not exist')
  }
})

test('of concurrent changes of a webhook with one tag, exactly one is made', async () => {
  const { accountId, webhookId, webhook, clients } = await booted.account()
  const client = booted.client('notices', WebhookService)
  const seen = async () => {
    const as = booted.as(accountId)
    const sent = new Headers(as.headers)
    sent.set(headers.ifMatch, objectTag(WebhookSchema, (await webhook()) as never))
    return { ...as, headers: sent }
  }
  const first = await seen()
  await clients.webhooks.rotate()
  const row = sql.unsafe`SELECT FROM webhooks WHERE webhook_id = ${webhookId} FOR UPDATE`
  const { untilAwaited, release } = await holdTransaction(booted.deps.database, row)
  const changes = ['a', 'b', 'c'].map((description) =>
    client.updateWebhook({ webhookId, description }, first),
  )
  await untilAwaited()
  await release()
  const ends = await Promise.allSettled(changes)
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.rawMessage] : []))
  expect(refused).toEqual(Array(2).fill(expect.stringContaining('the object has changed')))
  await expect(client.deleteWebhook({ webhookId }, first)).rejects.toThrow('has changed')
  await client.deleteWebhook({ webhookId }, await seen())
})

test('the number of webhooks of an account is bounded, and deleted ones do not count', async () => {
  const { clients } = await booted.account()
  const url = booted.receiver.url
  const asked = Array.from({ length: 5 }, () => clients.webhooks.create({ url }))
  const settled = await Promise.allSettled(asked)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await clients.webhooks.remove()
  await expect(clients.webhooks.create({ url })).resolves.toBeDefined()
  await expect(clients.webhooks.create({ url })).rejects.toThrow('at most 3 webhooks')
})

test('a former secret ends after a day, when it is stated, or on request', async () => {
  const { clients, secret } = await booted.account()
  const before = Date.now()
  const first = await clients.webhooks.rotate()
  expect(first?.secret).not.toBe(secret)
  const end = timestampDate(first?.formerSecretEndsAt as never).getTime()
  expect(end - before).toBeGreaterThanOrEqual(86_400_000)
  const stated = timestampFromDate(new Date(Date.now() + 3_600_000))
  expect((await clients.webhooks.rotate(stated))?.formerSecretEndsAt).toEqual(stated)
  const late = timestampFromDate(new Date(Date.now() + 8 * 86_400_000))
  await expect(clients.webhooks.rotate(late)).rejects.toThrow('Invalid request')
  await clients.webhooks.endFormer()
  expect((await clients.webhooks.get())?.formerSecretEndsAt).toBeUndefined()
})

test('the first secret stays valid if the answers with the next two are lost', async () => {
  const { secret, serve, clients } = await booted.account()
  const secrets = [secret]
  for (let count = 0; count < 3; count += 1) {
    secrets.push((await clients.webhooks.rotate())?.secret ?? '')
  }
  await clients.deliveries.ping()
  await serve()
  const { id = '', body = '', headers = {} } = booted.receiver.requests.at(-1) ?? {}
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const [first, , former, present] = secrets.map((one) => new Library(one).sign(id, at, body))
  expect(headers['webhook-signature']).toBe([present, former, first].join(' '))
})

test('a webhook of another account does not exist', async () => {
  const { webhookId } = await booted.account()
  const other = booted.as(newId('acct'))
  const { getWebhook } = booted.client('notices', WebhookService)
  await expect(getWebhook({ webhookId }, other)).rejects.toThrow('record does not exist')
})

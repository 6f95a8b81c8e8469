import { create, toBinary } from '@bufbuild/protobuf'
import { boot, counted, eventually } from '@coffer/host/testing/boot'
import { subjectOf } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { ObjectsChangedSchema } from '@coffer/proto/notices/v1/events'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDispatcher } from '../src/deliveries/dispatcher.service.ts'
import { feedHandlers } from '../src/feed/feed.consumer.ts'
import { notices } from '../src/service.ts'
import { type Receiver, startReceiver } from '../testing/webhook-receiver.ts'
import { bootWebhooks } from './webhooks.ts'

const stack = new AsyncDisposableStack()
let receiver: Receiver
let booted: Awaited<ReturnType<typeof boot>>

beforeAll(async () => {
  receiver = stack.use(await startReceiver())
  booted = stack.use(await boot([notices], { COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host }))
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Returns a webhook of a new account, and a function that asks for a test. */
async function withWebhook() {
  const as = booted.as(newId('acct'))
  const request = { url: receiver.url }
  const { webhook } = await booted.client('notices', WebhookService).createWebhook(request, as)
  const { webhookId = '' } = webhook ?? {}
  const deliveries = booted.client('notices', DeliveryService)
  return {
    as,
    webhookId,
    ping: () => deliveries.pingWebhook({ webhookId }, as),
    list: async () => (await deliveries.listDeliveries({ webhookId, limit: 10 }, as)).deliveries,
  }
}

test('a test is sent soon, and again by the workflow if it fails', async () => {
  const { ping, list } = await withWebhook()
  await ping()
  await eventually(list, ([one]) => one?.status === 'delivered')
  let isFirst = true
  receiver.respond((response) => {
    response.writeHead(isFirst ? 500 : 200).end()
    isFirst = false
  })
  await ping()
  const [sent] = await eventually(list, ([one]) => one?.status === 'delivered' && one.attempts > 1)
  expect(sent).toMatchObject({ attempts: 2, answerStatus: 200 })
})

test('another webhook is told of a webhook, also that the server has switched it off', async () => {
  const { as, webhookId, list } = await withWebhook()
  const webhooks = booted.client('notices', WebhookService)
  receiver.respond((response, { path }) => response.writeHead(path === '/hook' ? 204 : 410).end())
  const before = receiver.requests.length
  const request = { url: `${receiver.url}/gone`, types: ['webhook.updated'] }
  const { webhook: other } = await webhooks.createWebhook(request, as)
  await webhooks.updateWebhook({ webhookId, description: 'Mine' }, as)
  await eventually(list, (sent) => sent.length === 2)
  const told = receiver.requests.slice(before).filter(({ path }) => path === '/hook')
  expect(told.map(({ type, data }) => [type, data.objectId, data.actor])).toEqual([
    ['webhook.created', other?.webhookId, 'user'],
    ['webhook.updated', other?.webhookId, 'job'],
  ])
})

test('the statement that appends events finds the webhooks that get their types', async () => {
  await using quiet = await bootWebhooks()
  const database = quiet.database('notices')
  const woken: string[] = []
  const onAppended = (keys: readonly { webhookId: string }[]) => {
    woken.push(...keys.map(({ webhookId }) => webhookId))
  }
  const handlers = feedHandlers({ ...quiet.deps, database, onAppended })
  const subject = subjectOf(ObjectsChangedSchema.typeName)
  const handler = handlers.find((one) => one.subject === subject)
  /** Delivers one event of each account in one batch; returns the webhooks that it wakes. */
  const wokenBy = async (...of: { accountId: string; type: string; changeId?: string }[]) => {
    woken.length = 0
    const { count } = await counted(database, () =>
      Promise.all(
        of.map(({ accountId, type, changeId = newId('chg') }) => {
          const objects = [{ type, objectId: newId('txn'), version: 1n }]
          const event = create(ObjectsChangedSchema, { accountId, objects })
          const payload = toBinary(ObjectsChangedSchema, event)
          return handler?.handle(payload, { accountId, changeId, consumer: 'notices' })
        }),
      ),
    )
    expect(count).toBe(1)
    return woken.toSorted()
  }
  const all = await quiet.account()
  const rules = await quiet.account(['rule.created', 'rule.deleted'])
  const off = await quiet.account()
  await off.clients.webhooks.update({ isEnabled: false })
  const gone = await quiet.account()
  await gone.clients.webhooks.remove()
  const accounts = [all, rules, off, gone, { accountId: newId('acct') }]
  const told = (type: string) => accounts.map(({ accountId }) => ({ accountId, type }))
  expect(await wokenBy(...told('rule.deleted'))).toEqual(
    [all.webhookId, rules.webhookId].toSorted(),
  )
  // The type of another account in the same batch wakes no webhook.
  const mixed = [
    { accountId: rules.accountId, type: 'rule.updated' },
    { accountId: all.accountId, type: 'rule.deleted', changeId: 'again' },
  ]
  expect(await wokenBy(...mixed)).toEqual([all.webhookId])
  expect(await wokenBy(...mixed.slice(1))).toEqual([])
})

test('webhooks that do not answer hold up no others of the process', async () => {
  await using slow = await bootWebhooks({ COFFER_WEBHOOK_TIMEOUT_MS: '20000' })
  const limits = { atOnce: 2, slowMs: 20, max: 3 }
  await using dispatcher = createDispatcher(slow.deps, limits)
  const held: (() => void)[] = []
  let closed = 0
  slow.receiver.respond((response, { path }) => {
    const answer = () => void response.writeHead(204).end()
    if (path !== '/hook') return answer()
    held.push(answer)
    response.on('close', () => {
      closed += 1
    })
  })
  const silent = [await slow.account(), await slow.account()]
  const good = await slow.account([], `${slow.receiver.url}/good`)
  for (const one of [...silent, good]) await one.append(newId('txn'))
  dispatcher.wake([...silent, good])
  const arrived = async () => slow.receiver.requests.map(({ path }) => path).toSorted()
  await eventually(arrived, ({ length }) => length === 3)
  expect([await arrived(), held.length]).toEqual([['/hook', '/hook', '/hook/good'], 2])
  expect(closed).toBe(0)
  for (const answer of held) answer()
})

import { boot, eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notices } from '../src/service.ts'
import { type Receiver, startReceiver } from '../testing/webhook-receiver.ts'

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

import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'

const id = 'hook_01hzzzzzzzzzzzzzzzzzzzzzzz'
const deliveryId = 'dlv_01hzzzzzzzzzzzzzzzzzzzzzzz'

const webhook = {
  webhookId: id,
  url: 'https://example.com/',
  types: [],
  description: '',
  isEnabled: true,
  createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
  createdWith: 'key',
}

test('a webhook is shown whole, its secret only where it is new', async () => {
  await using gateway = await createGateway({
    ownWebhooks: {
      createWebhook: () => ({ webhook: { ...webhook, secret: 'whsec_a' } }),
      getWebhook: () => ({ webhook }),
    },
  })
  const created = await gateway.send('POST', '/api/webhooks', { body: { url: webhook.url } })
  expect(created.body).toMatchObject({ ...webhook, secret: 'whsec_a', formerSecretEndsAt: null })
  const read = await gateway.send('GET', `/api/webhooks/${id}`)
  expect(Object.keys(read.body)).not.toContain('secret')
  expect(read.body).toMatchObject({ disabledReason: null, disabledAt: null, failingSince: null })
})

test.each([
  [{}, { url: 'required key is missing' }],
  [{ url: 'example.com' }, { url: 'must be a URL' }],
  [
    { url: `https://example.com/${'x'.repeat(2_000)}` },
    { url: 'must be a URL of at most 2000 characters' },
  ],
  [{ url: 'ftp://example.com' }, { url: 'must be an https URL' }],
  [{ url: 'https://a:b@example.com' }, { url: 'must have no credentials' }],
  [{ url: 'https://example.com/#a' }, { url: 'must have no fragment' }],
  [{ url: webhook.url, description: 'x'.repeat(301) }, { description: expect.anything() }],
  [{ url: webhook.url, types: ['rule.gone'] }, { types: expect.anything() }],
])('%j is refused with its problem', async (body, problems) => {
  await using gateway = await createGateway({})
  const { status, body: answer } = await gateway.send('POST', '/api/webhooks', { body })
  expect([status, answer.problems]).toEqual([400, problems])
})

test('a PATCH sends the keys that it has, an empty list of types included', async () => {
  await using gateway = await createGateway({
    ownWebhooks: { updateWebhook: () => ({ webhook }) },
  })
  const sent = { types: [], isEnabled: false }
  await gateway.send('PATCH', `/api/webhooks/${id}`, { body: sent })
  expect(gateway.received.at(-1)?.message).toMatchObject({
    webhookId: id,
    types: { types: [] },
    isEnabled: false,
  })
})

test('deliveries are paged by a cursor', async () => {
  await using gateway = await createGateway({
    deliveries: {
      listDeliveries: ({ before = '' }) => ({
        deliveries: [{ deliveryId, webhookId: id, status: 'failed', answerStatus: 500 }],
        hasMore: before === '',
      }),
    },
  })
  const list = (query: string) => gateway.send('GET', `/api/webhooks/${id}/deliveries${query}`)
  const { body, headers } = await list('?limit=1&status=failed')
  expect(body.deliveries).toMatchObject([{ deliveryId, answerStatus: 500, nextAttemptAt: null }])
  expect(headers.link).toContain(`after=${body.nextCursor}`)
  const last = await list(`?limit=1&after=${body.nextCursor}`)
  expect(last.body.nextCursor).toBeNull()
  expect(gateway.received.at(-1)?.message).toMatchObject({ before: deliveryId, limit: 1 })
  expect((await list('?status=lost')).status).toBe(400)
})

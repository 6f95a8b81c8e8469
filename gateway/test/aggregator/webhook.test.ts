import { refused } from '@coffer/kit/rpc/errors'
import { afterAll, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'

const path = '/api/aggregator/webhook'
const on = { COFFER_AGGREGATOR_ENABLED: 'true', COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true' }
const headers = { 'plaid-verification': 'header.claims.signature' }
const stack = new AsyncDisposableStack()

afterAll(async () => {
  await stack.disposeAsync()
})

async function gatewayWith(
  environment: Record<string, string>,
  refusal?: { status: number; text: string },
): Promise<Gateway> {
  const receiveWebhook = () => {
    if (refusal) throw refused(refusal.text, refusal)
    return {}
  }
  return stack.use(await createGateway({ webhooks: { receiveWebhook } }, environment))
}

test('a webhook reaches the service byte by byte, without a credential', async () => {
  const gateway = await gatewayWith(on)
  const body = Buffer.from('{\r\n  "webhook_type": "ITEM", "é": 1.10 }\n')
  const sent = { as: null, body, headers: { ...headers, 'content-type': 'text/plain' } }
  const { status, text } = await gateway.send('POST', path, sent)
  expect([status, text]).toEqual([200, ''])
  expect(gateway.received.map(({ rpc }) => rpc)).toEqual(['ReceiveWebhook'])
  const { message } = gateway.received[0] ?? {}
  const received = message as { body: Uint8Array; verification: string }
  expect(Buffer.from(received.body)).toEqual(body)
  expect(received.verification).toBe(headers['plaid-verification'])
})

test.each([
  ['both are off', {}],
  ['webhooks are off', { COFFER_AGGREGATOR_ENABLED: 'true' }],
  ['the aggregator is off', { COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true' }],
])('webhooks are 404 where %s', async (_where, environment: Record<string, string>) => {
  const gateway = await gatewayWith(environment)
  const { status, body } = await gateway.send('POST', path, { as: null, body: {}, headers })
  expect([status, body.error]).toEqual([404, expect.stringContaining('not enabled')])
  expect(gateway.received).toEqual([])
})

test.each([undefined, '', '  '])('a webhook with the verification %j is 401', async (sent) => {
  const gateway = await gatewayWith(on)
  const more = sent === undefined ? {} : { 'plaid-verification': sent }
  // The header is checked before the body.
  const { status } = await gateway.send('POST', path, { as: null, headers: more })
  expect(status).toBe(401)
  expect(gateway.received).toEqual([])
})

test('a webhook without a body is 400', async () => {
  const gateway = await gatewayWith(on)
  const { status, body } = await gateway.send('POST', path, { as: null, headers })
  expect([status, body.error]).toEqual([
    400,
    expect.stringContaining('a body is required: one JSON value'),
  ])
})

test.each([
  [400, 'the body must be one JSON value'],
  [401, 'the verification is too old'],
  [424, 'the key of the verification could not be read'],
])('the refusal %i of the service is answered', async (status, text) => {
  const gateway = await gatewayWith(on, { status, text })
  const answer = await gateway.send('POST', path, { as: null, body: {}, headers })
  expect([answer.status, answer.body]).toEqual([status, { error: text }])
})

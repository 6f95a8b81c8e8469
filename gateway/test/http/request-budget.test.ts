import { unavailable } from '@coffer/kit/rpc/errors'
import type { SpendRequestBudgetRequest } from '@coffer/proto/identity/v1/request_budget'
import { expect, test } from '@jest/globals'
import { bySession, createGateway } from '../gateway.ts'
import { alice, apiKey, type Stubs } from '../stub-mesh.ts'

const quotas = { COFFER_KEY_UNITS_PER_MINUTE: '10', COFFER_ACCOUNT_UNITS_PER_MINUTE: '20' }

const ample = { isSufficient: true, remaining: 7, resetSeconds: 42 }
const short = { isSufficient: false, remaining: 1, resetSeconds: 9 }

/** Returns stubs that record requests for units and answer with the budgets. */
function budgets(answer: { apiKey?: typeof ample; account?: typeof ample } | Error) {
  const asked: SpendRequestBudgetRequest[] = []
  const stubs: Stubs = {
    requestBudgets: {
      spendRequestBudget: (request) => {
        asked.push(request)
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    links: { listLinks: () => ({ links: [] }), createLink: () => ({}) },
    apiKeys: { listApiKeys: () => ({ apiKeys: [] }) },
  }
  return { asked, stubs }
}

test('each answer has the state of both budgets', async () => {
  const { asked, stubs } = budgets({ apiKey: ample, account: { ...ample, remaining: 15 } })
  await using gateway = await createGateway(stubs, quotas)
  const { status, headers } = await gateway.send('GET', '/api/links')
  expect([status, headers['ratelimit-policy'], headers.ratelimit]).toEqual([
    200,
    '"key";q=10;w=60, "account";q=20;w=60',
    '"key";r=7;t=42, "account";r=15;t=42',
  ])
  expect(asked).toMatchObject([
    { accountId: alice.accountId, apiKeyId: apiKey.apiKeyId, apiKeyQuota: 10, accountQuota: 20 },
  ])
})

test.each([
  ['a list', 'GET', '/api/links', 1],
  ['a bad creation', 'POST', '/api/links', 3],
  ['an update', 'PATCH', '/api/links/link_01hzzzzzzzzzzzzzzzzzzzzzzz', 2],
  ['a deletion', 'DELETE', '/api/links/link_01hzzzzzzzzzzzzzzzzzzzzzzz', 2],
  ['a POST without effects', 'POST', '/api/icons/search', 1],
])('%s costs its units', async (_, method, url, cost) => {
  const { asked, stubs } = budgets({ apiKey: ample })
  await using gateway = await createGateway(stubs, quotas)
  await gateway.send(method, url, method === 'GET' ? {} : { body: {} })
  expect(asked.map((request) => request.cost)).toEqual([cost])
})

test.each([
  ['key', { apiKey: short, account: ample }, /this API key is spent \(10 units in a minute\)/],
  ['account', { apiKey: ample, account: short }, /the account is spent \(20 units in a minute\)/],
])('a spent budget of the %s is 429, and nothing is done', async (_, answer, text) => {
  const { stubs } = budgets(answer)
  await using gateway = await createGateway(stubs, quotas)
  const { status, body, headers } = await gateway.send('GET', '/api/links')
  expect([status, headers['retry-after']]).toEqual([429, '9'])
  expect(body.error).toMatch(text)
  expect(headers.ratelimit).toMatch(/r=1;t=9/)
  expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('ListLinks')
})

test('a session has the budget of its account alone', async () => {
  const { asked, stubs } = budgets({ account: ample })
  await using gateway = await createGateway(stubs, quotas)
  const { headers } = await gateway.send('GET', '/api/keys', { as: bySession })
  expect(headers['ratelimit-policy']).toBe('"account";q=20;w=60')
  expect(asked).toMatchObject([{ apiKeyId: '' }])
})

test('without quotas nothing is counted', async () => {
  const { asked, stubs } = budgets({ apiKey: ample })
  await using gateway = await createGateway(stubs)
  const { status, headers } = await gateway.send('GET', '/api/links')
  expect([status, headers.ratelimit, asked]).toEqual([200, undefined, []])
})

test('a request is 503 while identity does not count', async () => {
  const { stubs } = budgets(unavailable('away'))
  await using gateway = await createGateway(stubs, quotas)
  const { status, headers } = await gateway.send('GET', '/api/links')
  expect(status).toBe(503)
  expect(headers).toHaveProperty('retry-after')
})

import { headers as names } from '@coffer/kit/rpc/rpc'
import { afterEach, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, bankAccount, envelope, ids, spending } from '../samples.ts'
import { apiKey } from '../stub-mesh.ts'

const key = { 'idempotency-key': 'order-66' }
const body = { linkId: ids.linkId, name: 'Checking' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

async function hashOf(method: string, url: string, sent: unknown): Promise<string | null> {
  await gateway.send(method, url, { body: sent, headers: key })
  const { header } = gateway.received.at(-1)!
  expect(header.get(names.idempotencyKey)).toBe('order-66')
  return header.get(names.bodyHash)
}

test('a key reaches the owning service with a hash of path and body', async () => {
  gateway = await createGateway({
    bankAccounts: { createBankAccount: () => ({ bankAccount }) },
    links: { createLink: () => ({ link: {} }) },
    spending: { createSpending: () => ({ spending }) },
  })
  const first = await hashOf('POST', '/api/bank_accounts', body)
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(await hashOf('POST', '/api/bank_accounts', body)).toBe(first)
  expect(await hashOf('POST', '/api/bank_accounts', { ...body, name: 'Other' })).not.toBe(first)
  const goal = {
    spendingType: 'goal',
    name: 'Bike',
    fundingScheduleId: ids.fundingScheduleId,
    targetAmount: 1,
    nextRecurrence: '2026-06-01T05:00:00Z',
  }
  const other = 'bac_01hzzzzzzzzzzzzzzzzzzzzzzb'
  const here = await hashOf('POST', `${accountUrl}/spending`, goal)
  expect(await hashOf('POST', `/api/bank_accounts/${other}/spending`, goal)).not.toBe(here)
})

test('a repeated request has Idempotency-Replayed and recalculated spending', async () => {
  gateway = await createGateway({
    envelopes: {
      transfer: (_request, context) => {
        context.responseHeader.set(names.replayed, 'true')
        return { balance: balances, envelopes: [envelope] }
      },
    },
    spending: { recalculateSpending: () => ({ spending: [spending] }) },
  })
  const moving = { toSpendingId: ids.spendingId, amount: 5 }
  const url = `${accountUrl}/spending/transfer`
  const answer = await gateway.send('POST', url, { body: moving, headers: key })
  expect(answer.headers['idempotency-replayed']).toBe('true')
  expect(answer.body.spending).toHaveLength(1)
  const recalculation = gateway.received.at(-1)!
  expect(recalculation.rpc).toBe('RecalculateSpending')
  expect(recalculation.header.get(names.idempotencyKey)).toBeNull()
})

test('a first request has no Idempotency-Replayed', async () => {
  gateway = await createGateway({ bankAccounts: { createBankAccount: () => ({ bankAccount }) } })
  const answer = await gateway.send('POST', '/api/bank_accounts', { body, headers: key })
  expect(answer.headers).not.toHaveProperty('idempotency-replayed')
})

test.each(['', 'a b', 'é', 'x'.repeat(256)])('the key %j is 400', async (sent) => {
  gateway = await createGateway({ bankAccounts: { createBankAccount: () => ({ bankAccount }) } })
  const headers = { 'idempotency-key': sent }
  const answer = await gateway.send('POST', '/api/bank_accounts', { body, headers })
  expect([answer.status, answer.body.error]).toEqual([
    400,
    expect.stringMatching(/Idempotency-Key/),
  ])
})

test('a key is ignored where secrets are created', async () => {
  gateway = await createGateway({
    apiKeys: { createApiKey: () => ({ apiKey: { apiKeyId: apiKey.apiKeyId } }) },
  })
  const sent = { body: { name: 'Script' }, as: bySession, headers: key }
  expect((await gateway.send('POST', '/api/keys', sent)).status).toBe(200)
  expect(gateway.received.at(-1)!.header.get(names.idempotencyKey)).toBeNull()
})

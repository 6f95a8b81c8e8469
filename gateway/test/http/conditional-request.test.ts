import { notFound, refused } from '@coffer/kit/rpc/errors'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matchHeaders } from '../../src/http/conditional-request.ts'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, bankAccount, ids, key, spending, transaction } from '../samples.ts'
import type { Stubs } from '../stub-mesh.ts'

const oneUrl = `${accountUrl}/transactions/${ids.transactionId}`
const changed = refused('changed', { status: 412, code: 'OBJECT_CHANGED' })
const body = { notes: 'x' }

let version = 41n
let isChanged = false

const listTransactions = () => ({ transactions: [transaction], version })
const missingEnvelope = () => {
  throw notFound('spending')
}

const stubs: Stubs = {
  bankAccounts: {
    describeBankAccount: () => ({ bankAccountId: ids.bankAccountId, version }),
    getBalances: () => ({ balances, version }),
    getBankAccount: () => ({ bankAccount }),
  },
  transactions: {
    listTransactions,
    getTransaction: () => ({ transaction }),
    updateTransaction: () => {
      if (isChanged) throw changed
      return { transaction, balance: balances }
    },
  },
  apiKeys: { listApiKeys: () => ({ apiKeys: [key] }), createApiKey: () => ({ apiKey: key }) },
  spending: { listSpending: () => ({ spending: [spending] }) },
}

let gateway: Gateway
beforeEach(async () => {
  version = 41n
  isChanged = false
  gateway = await createGateway(stubs, { COFFER_REVISION: 'a1' })
})
afterEach(async () => await gateway[Symbol.asyncDispose]())

async function tagOf(url: string, method = 'GET') {
  const { headers } = await gateway.send(method, url, method === 'PATCH' ? { body } : {})
  return String(headers.etag)
}

const rpcs = () => gateway.received.map(({ rpc }) => rpc).filter((rpc) => !rpc.startsWith('Verify'))

describe('balances and transactions', () => {
  test.each([
    ['balances', `${accountUrl}/balances`, 'GetBalances'],
    ['transactions', `${accountUrl}/transactions?limit=5`, 'ListTransactions'],
    ['of an envelope', `${accountUrl}/spending/${ids.spendingId}/transactions`, 'ListTransactions'],
  ])('%s: a known version takes one look-up, another one also the read', async (_, url, read) => {
    const tag = await tagOf(url)
    expect(tag).toMatch(/^W\/"[\w.-]+"$/)
    expect(rpcs()).toEqual([read])
    const known = await gateway.send('GET', url, { headers: { 'if-none-match': tag } })
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', tag])
    expect(rpcs()).toEqual([read, 'DescribeBankAccount'])
    version = 42n
    const other = await gateway.send('GET', url, { headers: { 'if-none-match': tag } })
    expect([other.status, other.headers.etag === tag]).toEqual([200, false])
    expect(rpcs()).toEqual([read, 'DescribeBankAccount', 'DescribeBankAccount', read])
  })

  test('a ledger of the version before sends no version: the body has the tag', async () => {
    version = 0n
    const url = `${accountUrl}/balances`
    const tag = await tagOf(url)
    const known = await gateway.send('GET', url, { headers: { 'if-none-match': tag } })
    // The tag of the body, after the read.
    expect([known.status, rpcs()]).toEqual([
      304,
      ['GetBalances', 'DescribeBankAccount', 'GetBalances'],
    ])
  })

  test('a missing envelope is 404 for any condition', async () => {
    const url = (id: string) => `${accountUrl}/spending/${id}/transactions`
    const tag = await tagOf(url(ids.spendingId))
    const missing = ids.spendingId.replace(/.$/, 'b')
    const transactions = { ...stubs.transactions, listTransactions: missingEnvelope }
    await gateway[Symbol.asyncDispose]()
    gateway = await createGateway({ ...stubs, transactions }, { COFFER_REVISION: 'a1' })
    for (const condition of [tag, '*']) {
      const headers = { 'if-none-match': condition }
      expect((await gateway.send('GET', url(missing), { headers })).status).toBe(404)
    }
  })

  test('another build has other tags, the same one in another process the same', async () => {
    const url = `${accountUrl}/balances`
    const tag = await tagOf(url)
    for (const [revision, isSame] of [
      ['a1', true],
      ['b2', false],
    ] as const) {
      await gateway[Symbol.asyncDispose]()
      gateway = await createGateway(stubs, { COFFER_REVISION: revision })
      expect((await tagOf(url)) === tag).toBe(isSame)
    }
  })
})

describe('other answers', () => {
  test('a list has a weak tag of its body, for HEAD too', async () => {
    const url = `${accountUrl}/spending`
    const tag = await tagOf(url)
    expect(tag).toMatch(/^W\//)
    expect(await tagOf(url, 'HEAD')).toBe(tag)
    const headers = { 'if-none-match': `"x", ${tag}` }
    expect(await gateway.send('GET', url, { headers })).toMatchObject({ status: 304, text: '' })
    expect(await tagOf(`${url}?fields=name`)).not.toBe(tag)
  })

  test.each([
    ['a creation without an object', 'POST', '/api/keys', { name: 'x' }],
    ['an error', 'GET', '/api/unknown', undefined],
  ])('%s has no tag', async (_, method, url, sent) => {
    const { headers } = await gateway.send(method, url, { body: sent, as: bySession })
    expect(headers.etag).toBeUndefined()
  })

  test('a failure is no 304, and has no tag', async () => {
    await using unhealthy = await createGateway(stubs, {}, { isHealthy: async () => false })
    const headers = { 'if-none-match': '*' }
    const answer = await unhealthy.send('GET', '/api/health', { headers })
    expect([answer.status, answer.body?.dbHealthy]).toEqual([500, false])
    expect(answer.headers).not.toHaveProperty('etag')
  })

  test.each(['*', '"x"', 'W/"x"', 'no tags', '"x'])('a malformed or foreign %s', async (sent) => {
    const headers = { 'if-none-match': sent }
    const { status } = await gateway.send('GET', '/api/keys', { as: bySession, headers })
    expect(status).toBe(sent === '*' ? 304 : 200)
  })
})

describe('If-Match', () => {
  test('the object has the same strong tag in the answers of GET and PATCH', async () => {
    const tag = await tagOf(oneUrl)
    expect(tag).toMatch(/^"[\w-]+\.[\w-]+"$/)
    expect(await tagOf(oneUrl, 'PATCH')).toBe(tag)
  })

  test('a 412 has the tag of the present state', async () => {
    const tag = await tagOf(oneUrl)
    isChanged = true
    const headers = { 'if-match': '"old.tag"' }
    const refusal = await gateway.send('PATCH', oneUrl, { body, headers })
    expect([refusal.status, refusal.body.code]).toEqual([412, 'OBJECT_CHANGED'])
    expect(refusal.headers.etag).toBe(tag)
  })

  test.each([
    ['"own.body"', 'own'],
    ['"one.a", "two.b"', 'one,two'],
    ['W/"own.body"', 'none'],
    ['"own.body", W/"weak.b"', 'own'],
    ['"a.b",, "c.d"', 'a,c'],
    ['""', 'none'],
    ['*', null],
  ])('%s is passed on as %s', async (sent, passed) => {
    await gateway.send('PATCH', oneUrl, { body, headers: { 'if-match': sent } })
    const update = gateway.received.find(({ rpc }) => rpc === 'UpdateTransaction')
    expect(update?.header.get('coffer-if-match')).toBe(passed)
  })

  test.each(['', 'own', '"own', '"a" "b"', '"a b"', '*, "a"'])('%p is 400', async (sent) => {
    const { status, body: answer } = await gateway.send('PATCH', oneUrl, {
      body,
      headers: { 'if-match': sent },
    })
    expect([status, Object.keys(answer.problems ?? {})]).toEqual([400, ['If-Match']])
    expect(rpcs()).not.toContain('UpdateTransaction')
  })

  test('any text is read as tags, or refused', () => {
    const request = (text: string) => ({ headers: { 'if-match': text } }) as never
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', ',', ' ', 'W/', 'a', '.') }), (text) => {
        try {
          const sent = Object.values(matchHeaders(request(text)))
          expect(sent.every((tags) => /^[\w,-]+$/.test(tags))).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ rawMessage: expect.stringContaining('If-Match') })
        }
      }),
    )
  })
})

import { started } from '@coffer/host/testing/started'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type FeedFault, faultOf } from '../../src/provider/feed-fault.ts'
import { createLunchFlow, type Feed } from '../../src/provider/lunch-flow.client.ts'
import { answer, type Serve, startInstance } from './instance.ts'

const apiKey = 'secretKey1'
const signal = new AbortController().signal
const days = { from: '2026-01-01', to: '2026-03-31' }
const queried = '/accounts/7/transactions?include_pending=true'
const plain = '/accounts/7/transactions'
const none = '{"transactions":[],"total":0}'

let serve: Serve
let feed: Feed

const instance = started(() => startInstance((...args) => serve(...args)))

beforeAll(async () => {
  feed = createLunchFlow({ apiUrl: instance.url, apiKey })
})

beforeEach(() => {
  instance.requests.splice(0)
})

const faultIn = (call: Promise<unknown>) => call.then(() => null, faultOf)

test('transactions are requested with the days and pending ones', async () => {
  serve = (response) => answer(response, 200, { body: none })
  await feed.listTransactions('7', days, signal)
  await feed.listTransactions('a:b', { from: null, to: null }, signal)
  expect(instance.requests).toEqual([
    `${queried}&from=2026-01-01&to=2026-03-31`,
    '/accounts/a%3Ab/transactions?include_pending=true',
  ])
})

test.each([400, 404, 422])(
  'a server that refuses the query with %s is asked without one',
  async (status) => {
    serve = (response, path) => {
      answer(response, path === plain ? 200 : status, { body: none })
    }
    const open = { from: null, to: null }
    expect(await feed.listTransactions('7', open, signal)).toMatchObject({
      rows: [],
      isComplete: true,
    })
    expect(instance.requests).toEqual([queried, plain])
  },
)

describe('an answer is a fault:', () => {
  const paused = { code: 'rate-limited', retryAfterMs: 90_000 } as const
  test.each<[number, string, Partial<FeedFault>, number]>([
    [401, '', { code: 'key-refused' }, 1],
    [403, 'no', { code: 'key-refused', detail: 'no' }, 1],
    [404, '', { code: 'account-missing' }, 2],
    [410, 'gone', { code: 'status', detail: '410: gone' }, 1],
    [429, '', { code: 'rate-limited', detail: '429' }, 1],
    [429, '90', { ...paused, detail: '429: 90' }, 1],
    [500, 'oops', { code: 'status', detail: '500: oops' }, 2],
    [500, '90', { code: 'status', detail: '500: 90' }, 1],
    [503, '', { code: 'status', detail: '503' }, 2],
    [503, '90', { ...paused, detail: '503: 90' }, 1],
    [204, '', { code: 'status', detail: '204' }, 1],
    [304, '', { code: 'status', detail: '304' }, 1],
  ])('%s %j', async (status, body, fault, requests) => {
    const headers: Record<string, string> = body === '90' ? { 'retry-after': body } : {}
    serve = (response) => answer(response, status, { body, headers })
    const call = feed.listTransactions('7', { from: null, to: null }, signal)
    expect(await faultIn(call)).toEqual({ detail: '', retryAfterMs: null, ...fault })
    expect(instance.requests).toHaveLength(requests)
  })

  test('a missing list of accounts is no missing account', async () => {
    serve = (response) => answer(response, 404, { body: '' })
    expect((await faultIn(feed.listAccounts(signal)))?.code).toBe('status')
    expect((await faultIn(feed.readBalance('7', signal)))?.code).toBe('account-missing')
  })

  test.each<[string, string, (feed: Feed) => Promise<unknown>]>([
    ['a list of accounts', '{"accounts":', (one) => one.listAccounts(signal)],
    ['a balance', '{"balance":7}', (one) => one.readBalance('7', signal)],
    ['a list of transactions', '[]', (one) => one.listTransactions('7', days, signal)],
    [
      'a list of transactions',
      `{"transactions":${'['.repeat(33)}${']'.repeat(33)}}`,
      (one) => one.listTransactions('7', days, signal),
    ],
  ])('not %s but %s', async (noun, body, ask) => {
    serve = (response) => answer(response, 200, { body })
    const fault = await faultIn(ask(feed))
    expect([fault?.code, fault?.detail]).toEqual(['unreadable', noun])
  })
})

describe('redirects', () => {
  const moved = (location: string): Serve => {
    return (response, path) => {
      if (path === '/accounts') answer(response, 308, { headers: { location } })
      else answer(response, 200, { body: '{"accounts":[]}' })
    }
  }

  test.each(['/api/v1/elsewhere', 'elsewhere', './a/../elsewhere?a=b'])(
    'below the base URL are followed: %s',
    async (location) => {
      serve = moved(location)
      expect(await faultIn(feed.listAccounts(signal))).toBeNull()
      expect(instance.requests).toHaveLength(2)
    },
  )

  test.each([
    'http://localhost:1/api/v1/accounts',
    'https://127.0.0.1/api/v1/accounts',
    '//127.0.0.2/api/v1/accounts',
    '/api/v2/accounts',
    '/api/v1x/accounts',
    '/api/v1/../secret',
    '/api/v1/%2e%2e/secret',
    '/api/v1/..%2F..%2fsecret',
    '/api/v1/a%5c..%5csecret',
    '\\\\other/api/v1',
    'http://[',
    'file:///etc/passwd',
  ])('to other places get no request: %s', async (location) => {
    serve = moved(location)
    const fault = await faultIn(feed.listAccounts(signal))
    expect([fault?.code, fault?.detail]).toEqual(['redirected', '308'])
    expect(instance.requests).toEqual(['/accounts'])
  })

  test('with credentials get no request', async () => {
    serve = moved(`http://user:password@127.0.0.1:${instance.port}/api/v1/elsewhere`)
    expect((await faultIn(feed.listAccounts(signal)))?.code).toBe('redirected')
    expect(instance.requests).toEqual(['/accounts'])
  })

  test('are followed three times; the fourth is the answer', async () => {
    serve = (response, path) => {
      const next = Number(path.slice('/accounts'.length)) + 1
      answer(response, 307, { headers: { location: `accounts${next}` } })
    }
    expect((await faultIn(feed.listAccounts(signal)))?.code).toBe('redirected')
    expect(instance.requests).toEqual(['/accounts', '/accounts1', '/accounts2', '/accounts3'])
  })
})

test('a quote shows no key, no control characters, and at most 200 characters', async () => {
  const said = `bad\u0000 ${apiKey} key\n${'x'.repeat(5_000)}${apiKey}`
  serve = (response) => answer(response, 400, { body: said })
  const fault = await faultIn(feed.listAccounts(signal))
  expect(fault?.detail).toMatch(/^400: bad *\*\*\* key x{180,190}$/)
  serve = (response) => answer(response, 400, { body: `${' '.repeat(3_998)}${apiKey}` })
  expect(JSON.stringify(await faultIn(feed.listAccounts(signal)))).not.toMatch(/se|cret/)
})

test('a call that its caller ends throws the reason, not a fault of the provider', async () => {
  const caller = new AbortController()
  serve = () => caller.abort(new Error('stopping'))
  await expect(feed.listAccounts(caller.signal)).rejects.toThrow('stopping')
  serve = () => {}
  const fault = await faultIn(feed.listAccounts(AbortSignal.timeout(50)))
  expect(fault?.code).toBe('no-answer')
})

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ListTransactionsRequest } from '@coffer/proto/ledger/v1/transaction'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions`
const next = {
  date: timestampFromDate(new Date('2026-01-02T06:00:00Z')),
  transactionId: ids.transactionId,
}

let gateway: Gateway
beforeEach(async () => {
  const listTransactions = ({ after }: ListTransactionsRequest) => ({
    transactions: [transaction],
    ...(after ? {} : { next }),
  })
  const environment = { COFFER_UPLOADS_ENABLED: 'true' }
  gateway = await createGateway({ transactions: { listTransactions } }, environment)
})
afterEach(async () => await gateway[Symbol.asyncDispose]())

test.each([
  [url, '?offset=3&limit=1'],
  [url, '?limit=1&search=caf%C3%A9%20central'],
  ['/api/transactions', '?limit=1&search=caf%C3%A9&spendingId=free'],
  [`${accountUrl}/spending/${ids.spendingId}/transactions`, '?pending=true'],
])('%s%s has a Link header to the next page', async (path, query) => {
  const { status, body, headers } = await gateway.send('GET', path + query)
  expect([status, body.length]).toEqual([200, 1])
  const [, target = ''] = /^<(.+)>; rel="next"$/.exec(String(headers.link)) ?? []
  expect(target.startsWith(`${path}?`)).toBe(true)
  const first = { ...(gateway.received.at(-1)?.message as ListTransactionsRequest) }
  const second = await gateway.send('GET', target)
  expect(second.status).toBe(200)
  expect(second.headers).not.toHaveProperty('link')
  const message = gateway.received.at(-1)?.message as ListTransactionsRequest
  expect(message.after).toMatchObject(next)
  expect({ ...message }).toEqual({ ...first, offset: 0, after: message.after })
})

const envelopeUrl = `${accountUrl}/spending/${ids.spendingId}/transactions`

test.each([
  [url, 'spending_id=free', 'spending_id', 'no such parameter: write spendingId'],
  [url, 'AmountFrom=1', 'AmountFrom', 'no such parameter: write amount_from'],
  [url, 'min_amount=1', 'min_amount', /^no such parameter: use limit, .*amount_from, .*fields$/],
  [url, 'constructor=1', 'constructor', /^no such parameter: use/],
  [envelopeUrl, 'spendingId=free', 'spendingId', /^no such parameter: use (?!.*spendingId)/],
  ['/api/transactions', 'offset=1', 'offset', /^no such parameter: use (?!.*offset)/],
  ['/api/mappings', 'sign=1', 'sign', /^no such parameter: use .*signature/],
])('%s?%s is refused, not answered with everything', async (path, query, name, text) => {
  const { status, body } = await gateway.send('GET', `${path}?limit=1&${query}`)
  expect([status, Object.keys(body.problems)]).toEqual([400, [name]])
  expect(Object.values(body.problems)[0]).toMatch(text)
})

const oneUrl = `${url}/${ids.transactionId}`

test.each([
  ['DELETE', oneUrl, 'adjustsBalance=true', 'no such parameter: write adjusts_balance'],
  ['DELETE', oneUrl, 'adjust_balance=true', 'no such parameter: write adjusts_balance'],
  ['DELETE', oneUrl, 'hard=1', 'no such parameter: use adjusts_balance, soft'],
  ['DELETE', oneUrl, 'adjusts_balance=yes', 'must be a boolean'],
  ['DELETE', oneUrl, 'soft=', 'must be a boolean'],
  ['PATCH', oneUrl, 'soft=1', 'no such parameter: this request takes none'],
  ['POST', '/api/links', 'fields=linkId', 'no such parameter: this request takes none'],
])('%s %s?%s is refused, and nothing is written', async (method, path, query, text) => {
  const { status, body } = await gateway.send(method as 'POST', `${path}?${query}`, { body: {} })
  expect([status, Object.values(body.problems)]).toEqual([400, [text]])
  expect(gateway.received.map(({ rpc }) => rpc)).toEqual(['VerifyApiKey'])
})

test('names that begin with _ are ignored, and all unknown ones of other reads', async () => {
  await gateway.send('DELETE', `${oneUrl}?_=1&soft=true`)
  expect(gateway.received.map(({ rpc }) => rpc)).toContain('DeleteTransaction')
  for (const query of ['?_=1764144000000', '?_debug=1&limit=1']) {
    expect((await gateway.send('GET', url + query)).status).toBe(200)
  }
  expect((await gateway.send('GET', '/api/locale/currency?unknown=1')).status).toBe(200)
})

test.each([
  ['', {}],
  ['?search=&limit=&offset=', {}],
  ['?search=%20tea%20', { search: 'tea' }],
  ['?from=2026-01-31&to=2026-01-31', { from: '2026-01-31', to: '2026-01-31' }],
  ['?pending=0', { pending: false }],
  ['?pending=True', { pending: true }],
  [`?spendingId=${ids.spendingId}`, { spendingId: ids.spendingId }],
  ['?spendingId=free', { free: true }],
  ['?spendingId=undecided', { free: true, undecided: true }],
  ['?deleted=true', { deleted: true }],
  ['?amount_from=-5&amount_to=0', { amountFrom: -5n, amountTo: 0n }],
  ['?amount_to=9007199254740991', { amountTo: 9007199254740991n }],
  ['?amount=-1250', { amount: -1250n }],
  ['?source=upload', { source: 'upload' }],
  ['?deleted=false', {}],
  ['?offset=0&search=tea', { search: 'tea' }],
])('the query %j reaches the ledger', async (query, asked) => {
  expect((await gateway.send('GET', url + query)).status).toBe(200)
  const { message } = gateway.received.at(-1) as { message: ListTransactionsRequest }
  const { search, from, to, pending, spendingId, after, amount, amountFrom } = message
  const { amountTo, source } = message
  const texts = { search, from, to, pending, spendingId, after, source }
  const optional = Object.assign(texts, { amount, amountFrom, amountTo })
  const flags = {
    ...(message.free ? { free: true } : {}),
    ...(message.undecided ? { undecided: true } : {}),
    ...(message.deleted ? { deleted: true } : {}),
  }
  const set = Object.entries(optional).filter(([, value]) => value !== undefined)
  expect({ ...Object.fromEntries(set), ...flags }).toEqual(asked)
})

test.each([
  ['from=2026-02-30', { from: '2026-02-30 is not a day of the calendar' }],
  ['to=2026-01-02T00:00:00Z', { to: 'must be a day like 2026-01-31' }],
  ['from=0001-01-01', { from: expect.any(String) }],
  ['from=2026-02-02&to=2026-02-01', { to: 'must not be before from' }],
  ['amount_from=5&amount_to=4', { amount_to: 'must not be below amount_from' }],
  ['amount_from=1.5', { amount_from: expect.stringMatching(/integer in minor units/) }],
  ['amount_to=9007199254740992', { amount_to: expect.stringMatching(/9007199254740991$/) }],
  ['amount_from=', { amount_from: expect.stringMatching(/integer in minor units/) }],
  ['source=bank', { source: 'must be one of: aggregator, feed, manual, upload' }],
  ['source=feed&offset=1', { offset: expect.stringMatching(/Link header/) }],
  [
    'from=&to=&pending=&spendingId=&after=',
    {
      from: 'must be a day like 2026-01-31',
      to: 'must be a day like 2026-01-31',
      pending: 'must be a boolean',
      after: 'must be a cursor from an earlier page of this list',
      spendingId: 'must be free, undecided or an ID that begins with spnd_: it is blank',
    },
  ],
  ['pending=maybe', { pending: 'must be a boolean' }],
  ['pending=constructor', { pending: 'must be a boolean' }],
  ['spendingId=spnd_1', { spendingId: expect.stringMatching(/spnd_: spnd_1 is too short/) }],
  [`spendingId=${ids.linkId}`, { spendingId: expect.any(String) }],
  [`after=${ids.transactionId}`, { after: 'must be a cursor from an earlier page of this list' }],
  [`search=${'x'.repeat(301)}`, { search: 'must have 0 to 300 characters' }],
  ['search=a%00b', { search: 'must have printable characters only' }],
  ['search=tea&offset=25', { offset: expect.stringContaining('Link header') }],
  ['spendingId=free&offset=1', { offset: expect.stringContaining('Link header') }],
])('the list with %s is 400', async (query, problems) => {
  const { status, body } = await gateway.send('GET', `${url}?${query}`)
  expect([status, body]).toEqual([400, { error: 'Invalid request', problems }])
})

test.each([
  [['77']],
  [['0000-01-01T00:00:00Z', ids.transactionId]],
  [['2026-01-01T00:00:00Z', ids.linkId]],
])('a cursor of %j is 400', async (position) => {
  const cursor = Buffer.from(JSON.stringify(position)).toString('base64url')
  expect((await gateway.send('GET', `${url}?after=${cursor}`)).status).toBe(400)
})

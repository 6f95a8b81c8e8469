import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const entry = {
  operationId: 'op_1',
  pot: 'envelope',
  spendingId: ids.spendingId,
  delta: -500n,
  amount: 1200n,
  cause: 'transfer',
  causeId: 'op_1',
  createdAt: at,
  createdBy: ids.userId,
  transfer: { fromSpendingId: ids.spendingId },
}
const shown = {
  operationId: 'op_1',
  pot: 'envelope',
  spendingId: ids.spendingId,
  delta: -500,
  amount: 1200,
  cause: 'transfer',
  causeId: 'op_1',
  createdAt: '2026-01-02T03:04:05Z',
  createdBy: ids.userId,
  transfer: { fromSpendingId: ids.spendingId, toSpendingId: null },
}

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test.each([
  [`${accountUrl}/history`, undefined],
  [`${accountUrl}/spending/${ids.spendingId}/history`, ids.spendingId],
])('%s has pages', async (url, spendingId) => {
  const listHistory = ({ before }: { before?: unknown }) => ({
    entries: [entry],
    hasMore: before === undefined,
  })
  gateway = await createGateway({ history: { listHistory } })
  const first = await gateway.send('GET', url)
  expect(first.body).toEqual({ entries: [shown], nextCursor: expect.any(String) })
  const link = `<${url}?after=${first.body.nextCursor}>; rel="next"`
  expect(first.headers.link).toBe(link)
  const asked = { bankAccountId: ids.bankAccountId, limit: 25 }
  expect(gateway.received.at(-1)?.message).toMatchObject(asked)
  const { body, headers } = await gateway.send(
    'GET',
    `${url}?limit=3&after=${first.body.nextCursor}`,
  )
  expect([body, headers.link]).toEqual([{ entries: [shown], nextCursor: null }, undefined])
  const { message } = gateway.received.at(-1) as { message: Record<string, unknown> }
  const before = { operationId: 'op_1', spendingId: ids.spendingId, pot: 'envelope' }
  expect(message).toMatchObject({ limit: 3, before: { ...before, cause: 'transfer' } })
  expect(message.spendingId).toBe(spendingId)
})

test.each([`${accountUrl}/history`, `${accountUrl}/spending/${ids.spendingId}/history`])(
  'fields of %s keeps these keys of each entry, and the cursor',
  async (url) => {
    const listHistory = () => ({ entries: [entry, entry], hasMore: true })
    gateway = await createGateway({ history: { listHistory } })
    const slim = await gateway.send('GET', `${url}?fields=delta,cause`)
    const entries = Array(2).fill({ delta: -500, cause: 'transfer' })
    expect(slim.body).toEqual({ entries, nextCursor: expect.any(String) })
    expect(slim.headers.link).toBe(
      `<${url}?fields=delta%2Ccause&after=${slim.body.nextCursor}>; rel="next"`,
    )
    const { status, body } = await gateway.send('GET', `${url}?fields=entries`)
    const text = /^does not know entries: use operationId, /
    expect([status, body.problems]).toEqual([400, { fields: expect.stringMatching(text) }])
  },
)

test.each([
  ['limit=0', { limit: 'must be between 1 and 100' }],
  ['limit=101', { limit: 'must be between 1 and 100' }],
  ['after=zzz', { after: 'must be a cursor from an earlier page of this list' }],
  [`after=${ids.transactionId}`, { after: expect.any(String) }],
  [`after=${Buffer.from('["-1"]').toString('base64url')}`, { after: expect.any(String) }],
  [`after=${Buffer.from('["1","2"]').toString('base64url')}`, { after: expect.any(String) }],
  [`after=${Buffer.from('["9".repeat(30)]').toString('base64url')}`, { after: expect.any(String) }],
])('%s is 400', async (query, problems) => {
  gateway = await createGateway({})
  const { status, body } = await gateway.send('GET', `${accountUrl}/history?${query}`)
  expect([status, body]).toEqual([400, { error: 'Invalid request', problems }])
})

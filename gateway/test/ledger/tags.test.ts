import { create } from '@bufbuild/protobuf'
import { ListTagsResponseSchema, RenameTagsResponseSchema } from '@coffer/proto/ledger/v1/tag'
import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { accountUrl, ids, transaction } from '../samples.ts'

const count = 'must have 1 to 20 tags'
const long = 'x'.repeat(51)

test('tags are listed with counts, and renamed', async () => {
  const listed = create(ListTagsResponseSchema, { tags: [{ name: 'Tea', count: 3n }] })
  const renamed = create(RenameTagsResponseSchema, { changedCount: 3, isComplete: true })
  await using gateway = await createGateway({
    tags: { listTags: () => listed, renameTags: () => renamed },
  })
  const list = await gateway.send('GET', '/api/tags')
  expect(list.body).toEqual({ tags: [{ name: 'Tea', count: 3 }] })
  const body = { tags: [' te\u0301a '], name: 'Cafe\u0301' }
  const answer = await gateway.send('PATCH', '/api/tags', { body })
  expect(answer.body).toEqual({ changedCount: 3, isComplete: true })
  await gateway.send('PATCH', '/api/tags', { body: { tags: ['x'], name: null } })
  const [first, second] = gateway.received.slice(-2).map(({ message }) => message)
  expect(first).toMatchObject({ tags: ['téa'], name: 'Café' })
  expect(second).not.toHaveProperty('name')
})

test.each([
  ['PATCH', '/api/tags', { name: null }, { tags: 'required key is missing' }],
  ['PATCH', '/api/tags', { tags: [], name: null }, { tags: count }],
  ['PATCH', '/api/tags', { tags: Array(21).fill('a'), name: null }, { tags: count }],
  [
    'PATCH',
    `${accountUrl}/transactions/${ids.transactionId}`,
    { addTags: Array(21).fill('a') },
    { addTags: 'must have at most 20 tags' },
  ],
  [
    'PATCH',
    `${accountUrl}/transactions/${ids.transactionId}`,
    { tags: ['a', 'b,c', ' \u0301'] },
    { tags: { 1: 'cannot have a comma', 2: 'must have a letter, digit or sign' } },
  ],
])('%s %s of %j is 400', async (method, url, body, problems) => {
  const getTransaction = () => ({ transaction })
  await using gateway = await createGateway({ transactions: { getTransaction } })
  const answer = await gateway.send(method, url, { body })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})

test.each([
  [{ tags: [] }, true],
  [{ tags: ['a'] }, false],
  [{ tags: null }, false],
  [{}, false],
])('a new transaction with %j states that it has no tags: %s', async (sent, hasNoTags) => {
  const createTransaction = () => ({ transaction })
  await using gateway = await createGateway({ transactions: { createTransaction } })
  const body = { amount: 5, date: '2026-01-02T00:00:00Z', name: 'x', appliesRules: true, ...sent }
  await gateway.send('POST', `${accountUrl}/transactions`, { body })
  expect(gateway.received.at(-1)?.message).toMatchObject({ hasNoTags })
})

test.each([['a,b'], [long], [''], ['a\u0007']])('the filter refuses the tag %j', async (tag) => {
  await using gateway = await createGateway({})
  const query = new URLSearchParams({ tag })
  const answer = await gateway.send('GET', `${accountUrl}/transactions?${query}`)
  expect(answer).toMatchObject({ status: 400, body: { problems: { tag: expect.any(String) } } })
})

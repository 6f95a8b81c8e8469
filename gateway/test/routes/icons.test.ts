import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'

const gateway = started(() => createGateway({}))

const search = (body: unknown) => gateway.send('POST', '/api/icons/search', { body })

test('a brand in the name is answered with its icon', async () => {
  const { status, body } = await search({ name: ' POS DEBIT NETFLIX 123 ' })
  expect(status).toBe(200)
  expect(body).toEqual({
    title: 'Netflix',
    slug: 'netflix',
    library: 'simple-icons',
    svg: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    colors: ['E50914'],
  })
})

test('a name without a brand is 204 without a body', async () => {
  const { status, text } = await search({ name: 'Paycheck ACME' })
  expect([status, text]).toEqual([204, ''])
})

test.each([
  [{ name: ' ' }, 'cannot be blank'],
  [{ name: null }, 'cannot be blank'],
  [{}, 'required key is missing'],
  [{ name: 7 }, 'must be a string'],
  [{ name: 'a'.repeat(1001) }, 'must have at most 1000 characters'],
])('%j is 400', async (body, problem) => {
  const answer = await search(body)
  expect([answer.status, answer.body.problems]).toEqual([400, { name: problem }])
})

test('malformed JSON is 400', async () => {
  expect((await search('{')).status).toBe(400)
})

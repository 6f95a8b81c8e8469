import { expect, test } from '@jest/globals'
import { startAnswerReaders } from '../../src/provider/feed.service.ts'

const { signal } = new AbortController()
const listOf = (count: number) => {
  const rows = Array.from({ length: count }, (_one, index) => `{"id":"t${index}","amount":-1.50}`)
  return new TextEncoder().encode(`{"transactions":[${rows}],"total":${count}}`)
}

test.each([1, 50_000])('a list of %s transactions is read', async (count) => {
  await using readers = startAnswerReaders()
  const list = await readers.parse(listOf(count), 'transactions', signal)
  if (list === null || list === 'too-large') throw new Error('unread')
  expect([list.rows.length, list.isComplete]).toEqual([count, true])
  expect(list.rows.at(-1)).toMatchObject({ id: `t${count - 1}`, amount: '-1.50' })
})

test('a large answer of another kind is not read', async () => {
  await using readers = startAnswerReaders()
  expect(await readers.parse(listOf(20_000), 'accounts', signal)).toBeNull()
})

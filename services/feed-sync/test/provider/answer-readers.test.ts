import { expect, test } from '@jest/globals'
import { startAnswerReaders } from '../../src/provider/answer-pool.client.ts'

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

test('large answers that cannot be read leave the reader as it was', async () => {
  await using readers = startAnswerReaders()
  const large = new Uint8Array(300_000).fill(0x5b)
  expect(await readers.parse(large, 'accounts', signal)).toBeNull()
  expect(await readers.parse(listOf(20_000), 'accounts', signal)).toBeNull()
  expect(await readers.parse(listOf(20_000), 'transactions', signal)).not.toBeNull()
})

test('an answer that takes too much time is too large, and the next one is read', async () => {
  const module = new URL('./stuck.worker.ts', import.meta.url)
  await using readers = startAnswerReaders({ module, taskTimeoutMs: 3_000 })
  const endless = readers.parse(new Uint8Array(300_000).fill(0x20), 'transactions', signal)
  const next = readers.parse(listOf(20_000), 'transactions', signal)
  expect(await endless).toBe('too-large')
  expect(await next).toMatchObject({ isComplete: true })
})

test('an answer of a million tokens is too large', async () => {
  await using readers = startAnswerReaders()
  const body = new TextEncoder().encode(`{"transactions":[${'{},'.repeat(1_000_000)}1]}`)
  expect(await readers.parse(body, 'transactions', signal)).toBe('too-large')
})

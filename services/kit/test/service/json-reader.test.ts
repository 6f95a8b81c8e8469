import { expect, test } from '@jest/globals'
import { startJsonReaders } from '../../src/service/json-reader.ts'
import { readJson } from '../../src/values/json.ts'

const module = new URL('../fixture/json.worker.ts', import.meta.url)
const read = (body: Uint8Array) =>
  readJson(body, (json): unknown[] | null => (Array.isArray(json) ? json : null))
const { signal } = new AbortController()
const listOf = (count: number) => new TextEncoder().encode(`[${'1.50,'.repeat(count)}"last"]`)

test.each([1, 50_000])('a list of %s numbers is read', async (count) => {
  await using readers = startJsonReaders<{ list: unknown[] }>({ module, read })
  const list = await readers.parse(listOf(count), 'list', signal)
  expect([list?.length, list?.[0], list?.at(-1)]).toEqual([count + 1, '1.50', 'last'])
})

test('small answers are read without the thread', async () => {
  const nowhere = new URL('../fixture/missing.worker.ts', import.meta.url)
  await using readers = startJsonReaders<{ list: unknown[] }>({ module: nowhere, read })
  expect(await readers.parse(listOf(1), 'list', signal)).toHaveLength(2)
})

test('large answers that cannot be read leave the thread as it was', async () => {
  await using readers = startJsonReaders<{ list: unknown[] }>({ module, read })
  const deep = new Uint8Array(300_000).fill(0x5b)
  expect(await readers.parse(deep, 'list', signal)).toBeNull()
  expect(await readers.parse(listOf(1_000_000), 'list', signal)).toBe('too-large')
  expect(await readers.parse(listOf(20_000), 'list', signal)).toHaveLength(20_001)
})

test('an answer that takes too much time is too large, and the next one is read', async () => {
  const taskTimeoutMs = 3_000
  await using readers = startJsonReaders<{ list: unknown[] }>({ module, read, taskTimeoutMs })
  const endless = readers.parse(new Uint8Array(300_000).fill(0x20), 'list', signal)
  const next = readers.parse(listOf(20_000), 'list', signal)
  expect(await endless).toBe('too-large')
  expect(await next).toHaveLength(20_001)
})

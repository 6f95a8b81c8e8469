import { expect, test } from '@jest/globals'
import { createBatcher } from '../../src/database/batch.ts'

const options = { sizeMax: 3, waitingMax: 4 }

/** Creates a batcher whose batches wait until the test releases them; `seen` lists the batches. */
function heldBatcher() {
  const seen: string[][] = []
  const held: PromiseWithResolvers<void>[] = []
  const put = createBatcher<string, string>(async (_key, items) => {
    seen.push(items)
    const hold = Promise.withResolvers<void>()
    held.push(hold)
    await hold.promise
    return items.map((item) =>
      item.startsWith('bad')
        ? { status: 'rejected', reason: new Error(item) }
        : { status: 'fulfilled', value: item.toUpperCase() },
    )
  }, options)
  const letGo = async (): Promise<void> => {
    held.shift()?.resolve()
    await new Promise(setImmediate)
  }
  return { put, seen, letGo, breakDown: (error: Error) => held.shift()?.reject(error) }
}

test('the first item runs alone, later ones share batches of bounded size', async () => {
  const { put, seen, letGo } = heldBatcher()
  const results = ['a', 'b', 'c', 'd', 'e'].map((item) => put('key', item))
  await letGo()
  await letGo()
  await letGo()
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C', 'D', 'E'])
  expect(seen).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})

test('the first items share a batch where they are gathered', async () => {
  const run = async (_key: string, items: string[]) => {
    return items.map(() => ({ status: 'fulfilled' as const, value: items.length }))
  }
  const put = createBatcher<string, number>(run, { ...options, isGathered: true })
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((item) => put('key', item)))).toEqual([
    3, 3, 3, 1,
  ])
})

test('items of different keys do not wait for each other', async () => {
  const { put, seen, letGo } = heldBatcher()
  const results = [put('one', 'a'), put('two', 'b')]
  expect(seen).toEqual([['a'], ['b']])
  await letGo()
  await letGo()
  expect(await Promise.all(results)).toEqual(['A', 'B'])
})

test('an item fails alone', async () => {
  const { put, letGo } = heldBatcher()
  const outcomes = Promise.allSettled(['a', 'bad', 'c'].map((item) => put('key', item)))
  await letGo()
  await letGo()
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test('an error of the batch fails all its items, and the next batch runs', async () => {
  const { put, letGo, breakDown } = heldBatcher()
  const outcomes = Promise.allSettled(['a', 'b'].map((item) => put('key', item)))
  breakDown(new Error('down'))
  await new Promise(setImmediate)
  await letGo()
  expect(await outcomes).toEqual([
    { status: 'rejected', reason: new Error('down') },
    { status: 'fulfilled', value: 'B' },
  ])
})

test('an item beyond the bound of the queue is refused', async () => {
  const { put, letGo } = heldBatcher()
  const waiting = ['a', 'b', 'c', 'd', 'e'].map((item) => put('key', item))
  await expect(put('key', 'f')).rejects.toThrow('the queue of writes is full')
  await letGo()
  await letGo()
  await letGo()
  expect(await Promise.all(waiting)).toHaveLength(5)
})

test('an item that is aborted while it waits does not run', async () => {
  const { put, seen, letGo } = heldBatcher()
  const giveUp = new AbortController()
  const first = put('key', 'a', giveUp.signal)
  const second = put('key', 'b', giveUp.signal)
  const third = put('key', 'c')
  giveUp.abort(new Error('too late'))
  const given = expect(second).rejects.toThrow('too late')
  await letGo()
  await letGo()
  await given
  expect(await first).toBe('A')
  expect(await third).toBe('C')
  expect(seen).toEqual([['a'], ['c']])
})

test('a queue whose items were all aborted accepts new items', async () => {
  const { put, seen, letGo } = heldBatcher()
  const giveUp = new AbortController()
  const first = put('key', 'a')
  const second = put('key', 'b', giveUp.signal)
  giveUp.abort(new Error('too late'))
  const given = expect(second).rejects.toThrow('too late')
  await letGo()
  await given
  const next = put('key', 'c')
  await letGo()
  expect(await Promise.all([first, next])).toEqual(['A', 'C'])
  expect(seen).toEqual([['a'], ['c']])
})

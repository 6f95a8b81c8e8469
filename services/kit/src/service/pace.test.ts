import { expect, test } from '@jest/globals'
import { createPace, restMs, slowdownAfter } from './pace.ts'

test('rest is as long as work at a half, three times as long at a quarter', () => {
  const rests = [0.5, 0.25, 1].map((share) => restMs(40, { share, slowdown: 1 }))
  expect(rests).toEqual([40, 120, 0])
})

test('no rest is longer than a second', () => {
  expect(restMs(60_000, { share: 0.5, slowdown: 8 })).toBe(1_000)
})

test('a late event loop doubles the rest, up to eight times; then it halves again', () => {
  const late = [11, 11, 11, 11, 11, 10, 0, 0, 0]
  let slowdown = 1
  const slowdowns = late.map((lateMs) => {
    slowdown = slowdownAfter(slowdown, lateMs)
    return slowdown
  })
  expect(slowdowns).toEqual([2, 4, 8, 8, 8, 4, 2, 1, 1])
})

test('the result of the work is returned, its error thrown', async () => {
  using pace = createPace({ share: 1 })
  expect(await pace.run(async () => 'done')).toBe('done')
  await expect(pace.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

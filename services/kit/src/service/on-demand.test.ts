import { expect, test } from '@jest/globals'
import { onDemand } from './on-demand.ts'

test('a client is opened at the first call, once, and again after a failure', async () => {
  let calls = 0
  const open = onDemand(async () => {
    calls += 1
    if (calls === 1) throw new Error('no connection')
    return `client ${calls}`
  })
  expect([calls, await open.opened()]).toEqual([0, null])
  await expect(open()).rejects.toThrow('no connection')
  expect(await open.opened()).toBe(null)
  expect(await Promise.all([open(), open(), open.opened()])).toEqual(Array(3).fill('client 2'))
})

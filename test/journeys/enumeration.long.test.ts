import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import type { Answer } from '../harness/person.ts'
import { password, requests, someAddress, startRegistered } from './known-addresses.ts'

const samples = 40

const registered = started(() => startRegistered(samples))

async function timed(answer: () => Promise<Answer>): Promise<number> {
  const before = performance.now()
  await answer()
  return performance.now() - before
}

/**
 * Returns Mann-Whitney's U divided by its maximum: the share of pairs in which the first sample's
 * value is larger. Equal distributions give about 1/2, samples without overlap 0 or 1.
 */
function shareLarger(some: number[], others: number[]): number {
  const wins = some.flatMap((one) => others.map((other) => (one > other ? 1 : 0) as number))
  return wins.reduce((sum, win) => sum + win, 0) / wins.length
}

// Timing attack. The bound is six standard deviations of the share for equal distributions. If
// only known addresses cost a password hash or a mail, the share is nearly 0 or 1.
test.each(requests)('%s takes as long for known as for unknown addresses', async (path, bodyOf) => {
  const times: number[] = []
  const timesOfUnknown: number[] = []
  for (const email of registered.known) {
    times.push(await timed(() => registered.post(path, bodyOf(email))))
    timesOfUnknown.push(await timed(() => registered.post(path, bodyOf(someAddress()))))
  }
  const share = shareLarger(times, timesOfUnknown)
  expect(share).toBeGreaterThan(0.1)
  expect(share).toBeLessThan(0.9)
})

test('the test tells a request without a hash from one with a hash', async () => {
  const nothing: number[] = []
  const hashing: number[] = []
  for (const email of registered.known) {
    const tries = { email: 'malformed', password }
    nothing.push(await timed(() => registered.post('login', tries)))
    hashing.push(
      await timed(() => registered.post('login', { email, password: 'not this password' })),
    )
  }
  expect(shareLarger(hashing, nothing)).toBeGreaterThan(0.9)
})

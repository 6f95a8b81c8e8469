import { refusalOf, refused, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { limitAttempts, networkOf } from './attempts.ts'

const start = Date.parse('2026-01-02T00:00:00Z')

function limited(max = 2) {
  let now = start
  const attempts = limitAttempts({ max, clock: () => new Date(now) })
  const outcome = (address: string, error: Error | null, counting?: 'all' | 'refused') =>
    attempts
      .run(
        address,
        async () => {
          if (error) throw error
        },
        counting,
      )
      .then(
        () => 'done',
        (thrown) => (refusalOf(ConnectError.from(thrown))?.status === 429 ? 'limited' : 'failed'),
      )
  return {
    outcome,
    wait: (ms: number) => {
      now += ms
    },
    attempts,
  }
}

const wrong = unauthenticated('WRONG_CREDENTIALS')

test.each([
  ['wrong credentials', wrong, 'limited'],
  ['a refusal', refused('used already'), 'limited'],
  ['a service that is away', unavailable('away'), 'done'],
  ['a fault', new Error('broken'), 'done'],
  ['success', null, 'done'],
])('after two attempts with %s, the third is %s', async (_, error, third) => {
  const { outcome } = limited()
  for (const __ of [1, 2]) await outcome('192.0.2.1', error)
  expect(await outcome('192.0.2.1', null)).toBe(third)
  expect(await outcome('192.0.2.2', null)).toBe('done')
})

test('successes count where every attempt counts', async () => {
  const { outcome } = limited()
  const all = [1, 2, 3].map(() => outcome('192.0.2.1', null, 'all'))
  expect(await Promise.all(all)).toEqual(['done', 'done', 'limited'])
})

test('the minute begins with the first failure, and the refusal says when it ends', async () => {
  const { outcome, wait, attempts } = limited()
  await outcome('192.0.2.1', wrong)
  wait(45_000)
  await outcome('192.0.2.1', wrong)
  const error = await attempts.run('192.0.2.1', async () => {}).catch(ConnectError.from)
  expect(refusalOf(error as ConnectError)).toMatchObject({ status: 429, retryAfterSeconds: 15 })
  wait(15_000)
  expect(await outcome('192.0.2.1', wrong)).toBe('failed')
})

test('attempts made at the same time count before they are known', async () => {
  const { outcome } = limited()
  const all = await Promise.all(Array.from({ length: 5 }, () => outcome('192.0.2.1', wrong)))
  expect(all.filter((one) => one === 'limited')).toHaveLength(3)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:0db8:1:2::9', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['not an address', 'not an address'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

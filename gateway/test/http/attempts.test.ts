import { refusalOf, refused, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { limitAttempts } from '../../src/auth/attempts.ts'
import { createSessions } from '../../src/auth/session.ts'
import { type Stubs, stubMesh } from '../stub-mesh.ts'

const start = Date.parse('2026-01-02T00:00:00Z')

const client = (ip: string) => ({ ip, id: 'req_1' })

function limited(stubs: Stubs = {}, max = 2) {
  let now = start
  const clock = () => new Date(now)
  const { mesh, signer, use } = stubMesh(clock)
  use(stubs)
  const sessions = createSessions({ mesh, signer, clock })
  const config = { signInLimitPerMinute: max }
  const attempts = limitAttempts({ mesh, clock, config, sessions })
  const outcome = (address: string, error: Error | null, counting?: 'all' | 'refused') =>
    attempts
      .run(
        client(address),
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
  const error = await attempts.run(client('192.0.2.1'), async () => {}).catch(ConnectError.from)
  expect(refusalOf(error as ConnectError)).toMatchObject({ status: 429, retryAfterSeconds: 15 })
  wait(15_000)
  expect(await outcome('192.0.2.1', wrong)).toBe('failed')
})

test('attempts made at the same time count before they are known', async () => {
  const { outcome } = limited()
  const all = await Promise.all(Array.from({ length: 5 }, () => outcome('192.0.2.1', wrong)))
  expect(all.filter((one) => one === 'limited')).toHaveLength(3)
})

test('a network at its limit is refused for a second without a call', async () => {
  let calls = 0
  const admitAttempt = async () => {
    calls += 1
    throw refused('too many', { status: 429, retryAfterSeconds: 60 })
  }
  const { outcome, wait } = limited({ attempts: { admitAttempt } })
  const refusals = [await outcome('192.0.2.1', wrong), await outcome('192.0.2.1', wrong)]
  expect([refusals, calls]).toEqual([['limited', 'limited'], 1])
  wait(1_000)
  expect(await outcome('192.0.2.1', wrong)).toBe('limited')
  expect(calls).toBe(2)
})

test.each([
  ['is away', unavailable('away')],
  ['does not answer', new ConnectError('late', Code.DeadlineExceeded)],
])('nothing is attempted while identity %s', async (_, error) => {
  const admitAttempt = async () => {
    throw error
  }
  const { attempts } = limited({ attempts: { admitAttempt } })
  let attempted = 0
  const attempt = async () => {
    attempted += 1
  }
  await expect(attempts.run(client('192.0.2.1'), attempt)).rejects.toMatchObject({
    code: Code.Unavailable,
  })
  expect(attempted).toBe(0)
})

test('an attempt succeeds when its release fails, and stays counted', async () => {
  const releaseAttempt = async () => {
    throw unavailable('away')
  }
  const { outcome } = limited({ attempts: { releaseAttempt } })
  const all = []
  for (const _ of [1, 2, 3]) all.push(await outcome('192.0.2.1', null))
  expect(all).toEqual(['done', 'done', 'limited'])
})

test('attempts are made beside an identity that does not know the limit', async () => {
  const admitAttempt = async () => {
    throw new ConnectError('unknown', Code.Unimplemented)
  }
  const { outcome } = limited({ attempts: { admitAttempt } })
  const all = []
  for (const _ of [1, 2, 3]) all.push(await outcome('192.0.2.1', null, 'all'))
  expect(all).toEqual(['done', 'done', 'done'])
})

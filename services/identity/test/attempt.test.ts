import { refusalOf } from '@coffer/kit/rpc/errors'
import { AttemptService } from '@coffer/proto/identity/v1/attempt'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { anonymous, bootingIdentity } from './household.ts'

const booted = bootingIdentity()

const max = 3

const identity = () => booted.client('identity', AttemptService)

/** Returns the end of the window of an admitted attempt, or the refusal. */
async function admit(network: string) {
  try {
    const { endsAt } = await identity().admitAttempt({ network, max }, anonymous(booted))
    return { network, endsAt }
  } catch (error) {
    return refusalOf(ConnectError.from(error))
  }
}

async function release(admitted: Awaited<ReturnType<typeof admit>>) {
  await identity().releaseAttempt(admitted as { network: string }, anonymous(booted))
}

const limited = expect.objectContaining({ status: 429 })
const admitted = expect.objectContaining({ endsAt: expect.anything() })

test('concurrent attempts of a network do not pass its limit', async () => {
  const all = await Promise.all(Array.from({ length: 12 }, () => admit('192.0.2.1')))
  expect(all.filter((one) => one && 'endsAt' in one)).toHaveLength(max)
  expect(await admit('192.0.2.2')).toEqual(admitted)
})

test('the window begins with the first attempt, and the refusal says when it ends', async () => {
  booted.clock.now = new Date('2026-03-01T12:00:00Z')
  for (const _ of [1, 2]) await admit('192.0.2.3')
  booted.clock.now = new Date('2026-03-01T12:00:45Z')
  await admit('192.0.2.3')
  expect(await admit('192.0.2.3')).toMatchObject({ status: 429, retryAfterSeconds: 15 })
  booted.clock.now = new Date('2026-03-01T12:01:00Z')
  expect(await admit('192.0.2.3')).toEqual(admitted)
})

test('a released attempt does not count, nor does a refused one', async () => {
  const network = '192.0.2.4'
  const held = [await admit(network), await admit(network), await admit(network)]
  for (const _ of [1, 2]) expect(await admit(network)).toEqual(limited)
  await release(held[0]!)
  expect([await admit(network), await admit(network)]).toEqual([admitted, limited])
})

test('a release after the end of its window changes no later one', async () => {
  const network = '192.0.2.5'
  booted.clock.now = new Date('2026-03-01T13:00:00Z')
  const before = await admit(network)
  booted.clock.now = new Date('2026-03-01T13:01:00Z')
  for (const _ of [1, 2, 3]) await admit(network)
  await release(before)
  expect(await admit(network)).toEqual(limited)
})

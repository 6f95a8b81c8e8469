import { started } from '@coffer/host/testing/started'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { afterEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { bootWebhooks } from '../webhooks.ts'
import { createWorld, modes, type World } from './world.ts'

const booted = started(() => bootWebhooks({ COFFER_WEBHOOK_TIMEOUT_MS: '150' }))

afterEach(() => {
  booted.rpcClock.now = null
})

const never = Number.POSITIVE_INFINITY

/** Serves until nothing waits, with the present answers; at most 60 times. */
async function drain(world: World): Promise<void> {
  for (let round = 0; round < 60; round += 1) {
    await world.endLease()
    await world.run(never)
    const { isEnabled = false } = (await world.webhook()) ?? {}
    if (!isEnabled || world.promises.missing().length === 0) return
    world.pass(hourMs)
  }
}

/** Lets the receiver answer again, and compares all that was promised with what came. */
async function settle(world: World): Promise<void> {
  world.answerBy('ok')
  await drain(world)
  expect(world.breaches).toEqual([])
  expect(world.promises.missing()).toEqual([])
  expect(await world.feed()).toEqual(world.promises.ids())
  const [offs, told] = await world.offs()
  expect(told).toBe(offs)
}

/** Runs a scenario again and again, with a kill before each of its statements. */
async function killedAnywhere(scenario: (killBefore: number) => Promise<boolean>): Promise<number> {
  for (let killBefore = 1; killBefore < 100; killBefore += 1) {
    if (!(await scenario(killBefore))) return killBefore - 1
  }
  throw new Error('the run has no end')
}

test.each(['ok', 'fail', 'poison'])(
  'a kill before any statement loses nothing: %s',
  async (mode) => {
    const statements = await killedAnywhere(async (killBefore) => {
      const world = await createWorld(booted)
      world.answerBy(mode)
      await world.change([0, 1, 0, 2, 1])
      const isKilled = await world.run(killBefore)
      await world.change([0, 3])
      await settle(world)
      return isKilled
    })
    expect(statements).toBeGreaterThanOrEqual(4)
  },
)

/** Serves a webhook whenever an attempt is due, until the last one of its three days is. */
async function failForThreeDays(world: World): Promise<void> {
  const endsAt = Date.now() + 3 * dayMs - hourMs
  for (let now = Date.now(); now < endsAt; ) {
    const { dueAt } = await world.serve()
    now = dueAt?.getTime() ?? endsAt
    world.pass(now - (world.clock.now?.getTime() ?? now))
  }
}

test.each(['fail', 'gone'])('a kill before any statement leaves one mail: %s', async (mode) => {
  const statements = await killedAnywhere(async (killBefore) => {
    const world = await createWorld(booted)
    world.answerBy('fail')
    await world.change([0])
    await failForThreeDays(world)
    world.answerBy(mode)
    const isKilled = await world.run(killBefore)
    for (let round = 0; round < 3; round += 1) {
      await world.endLease()
      await world.run(never)
      world.pass(hourMs)
    }
    expect(await world.webhook()).toMatchObject({ isEnabled: false })
    expect(await world.offs()).toEqual([1, 1])
    return isKilled
  })
  expect(statements).toBeGreaterThanOrEqual(4)
})

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ change: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ redeliver: true }) },
  {
    weight: 8,
    arbitrary: fc.record({
      killBefore: fc.oneof(fc.constant(never), fc.integer({ min: 1, max: 12 })),
      isTwice: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ pass: fc.constantFrom(6_000, 400_000, 13 * hourMs) }) },
  { weight: 4, arbitrary: fc.record({ mode: fc.constantFrom(...modes) }) },
  { weight: 1, arbitrary: fc.record({ rotate: fc.constantFrom(0, 1, 24) }) },
  { weight: 1, arbitrary: fc.record({ resend: fc.nat(20), isAll: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ toggle: true }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function take(world: World, one: Step): Promise<unknown> {
  if ('change' in one) return world.change(one.change)
  if ('redeliver' in one) return world.redeliver()
  if ('pass' in one) return world.pass(one.pass)
  if ('mode' in one) return world.answerBy(one.mode)
  if ('rotate' in one) return world.rotate(one.rotate)
  if ('resend' in one) return world.resend(one.resend, one.isAll)
  if ('toggle' in one) return world.toggle()
  const isKilled = await world.run(one.killBefore, one.isTwice)
  return isKilled ? world.endLease() : null
}

test('kills, faults, redelivery, two processes and new secrets break no promise', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 20, maxLength: 60 }),
    async (steps) => {
      const world = await createWorld(booted)
      for (const one of steps) await take(world, one)
      await settle(world)
    },
  )
  // A failure prints a seed that repeats the run. No shrinking, because it would take minutes.
  await fc.assert(property, { numRuns: 12, endOnFailure: true })
})

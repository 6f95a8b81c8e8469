import { booting } from '@coffer/host/testing/booting'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { advanceTogether } from '../../src/advance/advance-together.service.ts'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, createSeptember, depsOf, type Funded, outcome } from '../advancing.ts'
import { at } from '../household.ts'
import { createKilledProcess } from '../killed-process.ts'

const booted = booting([ledger, budgeting])

const now = new Date('2023-10-14T06:00Z')

/** Creates a household with a due goal and two due expenses, one of which creates a transaction. */
async function createPayday(): Promise<Funded> {
  const home = await createSeptember(booted)
  const { fundingScheduleId, expense, goal } = home
  const onThe14th = 'DTSTART:20220114T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=14'
  const due = { nextRecurrence: at('2023-10-14T05:00Z') }
  await expense(fundingScheduleId, { ...due, name: 'rent', ruleset: onThe14th })
  const itself = { autoCreateTransaction: true, targetAmount: 77n }
  await expense(fundingScheduleId, { ...due, name: 'bill', ruleset: onThe14th, ...itself })
  await goal(fundingScheduleId, { ...due, name: 'trip' })
  return home
}

async function advanceUntilKilled(home: Funded, step: number): Promise<void> {
  booted.clock.now = now
  const { deps } = createKilledProcess(depsOf(booted), step)
  await expect(advanceTogether(deps, [home], now)).rejects.toThrow('killed')
}

test('after a kill before any step, the next run has the same result', async () => {
  const whole = await createPayday()
  const counted = createKilledProcess(depsOf(booted))
  booted.clock.now = now
  await advanceTogether(counted.deps, [whole], now)
  const expected = await outcome(whole)
  expect(expected.booked).toHaveLength(2)
  expect(counted.steps()).toBeGreaterThan(6)
  for (let step = 1; step <= counted.steps(); step += 1) {
    const home = await createPayday()
    await advanceUntilKilled(home, step)
    await advanceOnly(booted, home, now)
    expect([step, await outcome(home)]).toEqual([step, expected])
  }
})

test('runs that are killed one step later each time have the same result', async () => {
  const whole = await createPayday()
  await advanceOnly(booted, whole, now)
  const home = await createPayday()
  booted.clock.now = now
  let step = 1
  for (let isDone = false; !isDone; step += 1) {
    const { deps } = createKilledProcess(depsOf(booted), step)
    isDone = await advanceTogether(deps, [home], now).then(
      () => true,
      () => false,
    )
  }
  expect(step).toBeGreaterThan(5)
  expect(await outcome(home)).toEqual(await outcome(whole))
})

test('a run beside a killed run has the same result', async () => {
  const whole = await createPayday()
  await advanceOnly(booted, whole, now)
  const expected = await outcome(whole)
  for (let step = 2; step <= 9; step += 1) {
    const home = await createPayday()
    booted.clock.now = now
    const { deps } = createKilledProcess(depsOf(booted), step)
    await Promise.allSettled([
      advanceTogether(deps, [home], now),
      advanceTogether(depsOf(booted), [home], now),
    ])
    await advanceOnly(booted, home, now)
    expect([step, await outcome(home)]).toEqual([step, expected])
  }
})

test('after a kill within a group of bank accounts, the next run has the same result', async () => {
  const whole = await createPayday()
  await advanceOnly(booted, whole, now)
  const expected = await outcome(whole)
  for (let step = 2; step <= 6; step += 2) {
    const group = [await createPayday(), await createPayday(), await createPayday()]
    booted.clock.now = now
    const { deps } = createKilledProcess(depsOf(booted), step)
    await expect(advanceTogether(deps, group, now)).rejects.toThrow('killed')
    // Two concurrent runs repeat the work: one of the whole group, one without its first bank
    // account.
    await Promise.all([
      advanceTogether(depsOf(booted), group, now),
      advanceTogether(depsOf(booted), group.slice(1), now),
    ])
    const outcomes = await Promise.all(group.map(outcome))
    expect([step, outcomes]).toEqual([step, [expected, expected, expected]])
  }
})

import { expect, test } from '@jest/globals'
import { pay, rent } from '../../test/samples.ts'
import type { FundedSpending } from '../book/spending.ts'
import { movePlans } from './moved-plans.ts'

const zones = { from: 'America/Chicago', to: 'Europe/Berlin' }
const now = new Date('2023-10-09T13:32Z')
const move = (plan: FundedSpending, more: object = {}) =>
  movePlans({ plans: [plan], schedules: [pay], runs: [] }, { ...zones, now, isLive: true, ...more })

const settled = { settledFor: rent.nextRecurrence, settledAt: now, settledByRequest: true }

test('dates and rules keep their days, also the bill that is settled', () => {
  const { plans, schedules } = move({ ...rent, ...settled })
  expect(schedules).toMatchObject([
    {
      nextRecurrence: new Date('2023-10-12T22:00Z'),
      nextRecurrenceOriginal: new Date('2023-10-14T22:00Z'),
      ruleset: 'DTSTART:20211230T230000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1',
    },
  ])
  const due = new Date('2023-10-31T23:00Z')
  expect(plans).toMatchObject([{ nextRecurrence: due, settledFor: due }])
  expect(move(rent).plans).toMatchObject([{ nextContributionAmount: 500n, calculatedAt: now }])
})

test('a firing of today is not counted again where its day still has to begin', () => {
  const fired = { ...pay, lastRecurrence: new Date('2023-10-14T22:00Z') }
  const next = { nextRecurrence: new Date('2023-10-30T23:00Z') }
  const schedules = [{ ...fired, ...next, nextRecurrenceOriginal: next.nextRecurrence }]
  const plan = { ...rent, nextRecurrence: new Date('2023-10-31T23:00Z') }
  const west = { from: zones.to, to: zones.from, now: new Date('2023-10-14T23:00Z'), isLive: true }
  const moved = movePlans({ plans: [plan], schedules, runs: [] }, west)
  expect(moved.plans).toMatchObject([{ nextContributionAmount: 1000n }])
})

test('waits for what is due and not booked, unless no job books it', () => {
  const late = { now: new Date('2023-10-13T05:00Z') }
  expect(() => move(rent, late)).toThrow('not booked yet')
  expect(move(rent, { ...late, isLive: false }).plans).toHaveLength(1)
})

import { expect, test } from '@jest/globals'
import { DateTime } from 'luxon'
import { envelopePlans, household, schedulePlans } from '../src/demo/story.ts'

const zone = household.timezone
// New Year, a leap day, both DST changes, the end of a month of 30 days, and New Year's Eve.
const days = ['2026-01-01', '2028-02-29', '2026-03-08', '2026-11-01', '2026-04-30', '2026-12-31']

test.each(days)('on %s every due date is a coming midnight of the household', (day) => {
  const today = DateTime.fromISO(day, { zone })
  const plans = envelopePlans(today)
  expect(plans.filter(({ spendingType }) => spendingType === 'expense')).toHaveLength(8)
  expect(plans.filter(({ spendingType }) => spendingType === 'goal')).toHaveLength(3)
  for (const { nextRecurrence } of plans) {
    expect(nextRecurrence.diff(today, 'days').days).toBeGreaterThanOrEqual(1)
    expect(nextRecurrence.startOf('day').equals(nextRecurrence)).toBe(true)
    expect(nextRecurrence.zoneName).toBe(zone)
  }
})

test('rules start at local midnight, written in UTC', () => {
  const [payday] = schedulePlans(DateTime.fromISO('2026-07-10', { zone }))
  expect(payday?.ruleset).toBe(
    'DTSTART:20260601T050000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  )
})

test('no envelope holds more than its target, and only expenses have a rule', () => {
  for (const plan of envelopePlans(DateTime.fromISO('2026-07-10', { zone }))) {
    expect(plan.held).toBeLessThanOrEqual(plan.targetAmount)
    expect(plan.ruleset === undefined).toBe(plan.spendingType === 'goal')
  }
})

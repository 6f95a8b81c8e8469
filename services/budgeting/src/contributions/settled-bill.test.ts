import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chicago, fridays, monthly, pay, rent } from '../../test/samples.ts'
import { recalculate } from './contribution.ts'
import { dueAfter, isSettled } from './due-dates.ts'
import { explain } from './explanation.ts'
import { renderSentences } from './explanation-text.ts'
import { settle, skip, unsettle, withSettledBill } from './settled-bill.ts'

const now = new Date('2023-10-20T12:00Z')
const style = { currency: 'USD', locale: 'en_US', timezone: chicago, payer: 'free' as const }

test('a settled bill is calculated as if the due date after it were the next', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(fridays, monthly, 'DTSTART:20230901T050000Z\nRRULE:FREQ=WEEKLY;COUNT=11'),
      fc.bigInt(0n, 3000n),
      fc.integer({ min: 0, max: 40 }),
      (ruleset, currentAmount, days) => {
        const at = new Date(now.getTime() + days * 86_400_000)
        const due = dueAfter(ruleset, chicago, at.getTime())
        const next = due === null ? null : dueAfter(ruleset, chicago, due)
        fc.pre(due !== null && next !== null)
        const plan = { ...rent, ruleset, currentAmount, nextRecurrence: new Date(due ?? 0) }
        const asOf = { timezone: chicago, now: at }
        const later = { ...plan, nextRecurrence: new Date(next ?? 0) }
        expect(recalculate(settle(plan, at), pay, asOf)).toEqual(recalculate(later, pay, asOf))
      },
    ),
  )
})

test('the explanation says when the bill was paid, and which due date follows', () => {
  const lastRecurrence = new Date('2023-10-01T05:00Z')
  const settled = settle({ ...rent, lastRecurrence, currentAmount: 0n }, now)
  const explanation = explain(settled, { timezone: chicago, now })
  expect(renderSentences(settled, explanation, style)[0]).toBe(
    'It was paid on Oct 20, 2023, so this is for Dec 1, 2023.',
  )
  expect(explanation.dueDates).toEqual([])
  expect(explanation.due).toEqual(new Date('2023-12-01T06:00Z'))
  const last = { ...settled, ruleset: 'DTSTART:20231001T050000Z\nRRULE:FREQ=MONTHLY;COUNT=2' }
  expect(explain(last, { timezone: chicago, now })).toMatchObject({ method: 'none', due: null })
})

test('an expense settles by itself while its target is spent', () => {
  const asks = { ...rent, settlesWhenSpent: true, periodSpentAmount: 999n }
  expect(withSettledBill(asks, now)).toBe(asks)
  const spent = withSettledBill({ ...asks, periodSpentAmount: 1000n }, now)
  expect(spent).toMatchObject({ settledAt: now, settledByRequest: false })
  const later = new Date('2023-10-21T12:00Z')
  expect(withSettledBill(spent, later)).toBe(spent)
  expect(settle(spent, later)).toMatchObject({ settledAt: now, settledByRequest: true })
  expect(withSettledBill({ ...spent, periodSpentAmount: 0n }, later)).toMatchObject({
    settledFor: null,
    settledAt: null,
  })
  const { nextRecurrence } = spent
  const ahead = withSettledBill({ ...spent, nextRecurrence: new Date('2023-12-01T06:00Z') }, later)
  expect([isSettled(ahead), ahead.settledAt]).toEqual([false, null])
  expect(withSettledBill({ ...ahead, nextRecurrence }, later)).toMatchObject({ settledAt: later })
  expect(withSettledBill({ ...ahead, periodSpentAmount: 0n }, later).settledFor).toBeNull()
  const byHand = settle(asks, now)
  expect(withSettledBill(byHand, later)).toBe(byHand)
  const moved = withSettledBill({ ...byHand, nextRecurrence: later }, later)
  expect([isSettled(moved), moved.settledAt]).toEqual([false, null])
})

test('a due date beyond the last year is not skipped to', () => {
  const last = { ...rent, ruleset: monthly, nextRecurrence: new Date('2199-12-31T06:00Z') }
  expect(() => skip(last, { timezone: chicago, now })).toThrow('1900 and 2199')
})

test('a goal and an ended rule have no bill', () => {
  const goal = { ...rent, spendingType: 'goal' as const }
  expect(() => settle(goal, now)).toThrow('A goal has no bills')
  const over = { ...rent, lastRecurrence: rent.nextRecurrence }
  expect(() => unsettle(over)).toThrow('The rule of the expense has ended')
})

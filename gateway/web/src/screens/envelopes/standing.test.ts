import { expect, test } from '@jest/globals'
import type { Spending } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { fillUpOf, standingsOf } from './standing.ts'

const bill = (spendingId: string, fromFreeAmount = 0) => ({
  spending: [
    { spendingId, fromFreeAmount, transactionAmount: 110, heldContribution: 0, funding: [] },
  ],
})
const payday = (spendingId: string, heldContribution: number) => ({
  spending: [{ spendingId, fromFreeAmount: 0, heldContribution, funding: [{}] }],
})

test('an envelope stands by the bills before its next payday, not by those after it', () => {
  const events = [
    bill('food'),
    bill('food'),
    bill('rent', 20),
    bill('rent', 5),
    payday('food', 400),
    payday('rent', 800),
  ]
  const later = [bill('food', 20), payday('food', 300)]
  const standings = standingsOf({ events: [...events, ...later] } as unknown as Forecast)
  expect([...standings]).toEqual([
    ['food', { contribution: 400, needed: 220, missing: 0 }],
    ['rent', { contribution: 800, needed: 220, missing: 25 }],
  ])
})

test.each([
  ['is behind', {}, 150],
  ['is not behind', { isBehind: false }, 0],
  ['is paused', { isPaused: true }, 0],
  ['is an everyday one', { carryOver: true }, 0],
  ['the forecast lacks', { spendingId: 'other' }, 0],
])('an envelope that %s, with %j, is filled up by %d', (_, fields, amount) => {
  const plan = { spendingId: 'rent', spendingType: 'expense', isPaused: false, isBehind: true }
  const spending = { ...plan, ...fields } as Spending
  const standings = standingsOf({
    events: [bill('rent', 150), payday('rent', 800)],
  } as unknown as Forecast)
  expect(fillUpOf(spending, standings)).toBe(amount)
  expect(fillUpOf(spending, undefined)).toBe(0)
})

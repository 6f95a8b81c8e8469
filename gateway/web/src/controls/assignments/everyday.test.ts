import type { Spending } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { isUsedUp } from './everyday.ts'

const food = {
  spendingType: 'expense',
  carryOver: true,
  currentAmount: 0,
  periodSpentAmount: 0,
  lastRecurrence: null,
}

test.each([
  ['never filled', {}, false],
  ['spent', { periodSpentAmount: 320 }, true],
  ['empty since a former period', { lastRecurrence: '2026-12-01T06:00:00Z' }, true],
  ['spent in part', { periodSpentAmount: 300, currentAmount: 20 }, false],
  ['of a bill that is paid', { periodSpentAmount: 320, carryOver: false }, false],
])('an envelope that is %s is used up: %j, %s', (_state, more, is) => {
  expect(isUsedUp({ ...food, ...more } as Spending)).toBe(is)
})

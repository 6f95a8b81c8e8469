import { expect, test } from '@jest/globals'
import { isWaiting, lineBelow } from './row-texts.ts'

test.each([
  ['a payment without an envelope', {}, true],
  ['one that stays free to use', { staysFree: true }, false],
  ['one of an envelope', { spendingId: 'spnd_1' }, false],
  ['a deposit', { amount: -5 }, false],
])('%s waits for a choice: %s', (_, more, waits) => {
  expect(isWaiting({ amount: 5, spendingId: null, ...more })).toBe(waits)
})

test.each([
  [{}, ''],
  [{ refundSpendingId: 'spnd_1' }, 'Refund'],
  [{ refundSpendingId: 'spnd_1', isPending: true, notes: 'shoes' }, 'Pending · Refund · shoes'],
])('below the name of %j stands %j', (more, text) => {
  expect(lineBelow({ isPending: false, notes: null, ...more })).toBe(text)
})

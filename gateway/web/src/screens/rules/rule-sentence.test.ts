import { expect, test } from '@jest/globals'
import { conditionsText } from './rule-sentence.ts'

test('amounts of conditions are written, or hidden, as the reader has chosen', () => {
  const names = {
    envelope: () => '',
    account: () => '',
    manner: () => ({ locale: 'en-US', currency: 'USD' }),
    money: () => '(hidden)',
  }
  const text = conditionsText({ amountFrom: 1_299, amountTo: 2_599 }, names)
  expect(text).toContain('(hidden)')
  expect(text).not.toMatch(/\d/)
})

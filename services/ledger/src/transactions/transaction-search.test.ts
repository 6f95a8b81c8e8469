import { describe, expect, test } from '@jest/globals'
import { isIndexed, rangeOf } from './transaction-search.ts'

const none = { from: null, to: null, after: null }

describe('the range of a search', () => {
  test.each([
    // Chicago is UTC−6 in winter and UTC−5 in summer; 8 March 2026 has 23 hours.
    ['2026-03-07', '2026-03-07T06:00:00Z', '2026-03-08T06:00:00Z'],
    ['2026-03-08', '2026-03-08T06:00:00Z', '2026-03-09T05:00:00Z'],
    ['2026-11-01', '2026-11-01T05:00:00Z', '2026-11-02T06:00:00Z'],
    ['2026-12-31', '2026-12-31T06:00:00Z', '2027-01-01T06:00:00Z'],
  ])('of %s is the whole day', (day, first, next) => {
    const { from, behind } = rangeOf({ ...none, from: day, to: day }, 'America/Chicago')
    expect(from).toEqual(new Date(first))
    expect(behind).toEqual({ date: new Date(next), transactionId: '' })
  })

  test('without days is unbounded', () => {
    const { from, behind } = rangeOf(none, 'UTC')
    expect(from.getTime()).toBeLessThan(Date.parse('1900-01-01'))
    expect(behind.date.getTime()).toBeGreaterThan(Date.parse('2200-01-01'))
  })

  test('continues after a cursor, within its last day', () => {
    const after = { date: new Date('2026-03-05T00:00:00Z'), transactionId: 'txn_1' }
    expect(rangeOf({ ...none, after }, 'UTC').behind).toEqual(after)
    expect(rangeOf({ ...none, to: '2026-03-09', after }, 'UTC').behind).toEqual(after)
    expect(rangeOf({ ...none, to: '2026-03-03', after }, 'UTC').behind).toEqual({
      date: new Date('2026-03-04T00:00:00Z'),
      transactionId: '',
    })
  })
})

test.each([
  [null, false],
  ['ab', false],
  ['ab cd', false],
  ['--- %%%', false],
  ['abc', true],
  ['a 123', true],
  ['жук', true],
  ['e\u0301te', true],
])('%j is looked for by an index: %j', (text, expected) => {
  expect(isIndexed(text)).toBe(expected)
})

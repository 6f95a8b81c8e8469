import { localDay } from '@coffer/kit/values/day'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { movedRuleset } from './moved-ruleset.ts'
import { listOccurrences, occurrencesOf } from './recurrence.ts'

const zones = ['America/Chicago', 'Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Honolulu', 'UTC']
const rules = [
  'DTSTART:20260131T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1',
  'DTSTART:20260101T000000Z\nRRULE:FREQ=WEEKLY;UNTIL=20270301T000000Z;BYDAY=MO,FR',
  'DTSTART;TZID=Europe/Berlin:20260301T000000\nRRULE:FREQ=DAILY;COUNT=90',
  'DTSTART:20260201T050000Z\nRRULE:FREQ=MONTHLY\nRDATE:20260310T050000Z\nEXDATE:20260401T050000Z',
]
const [first, last] = [20_430, 20_960]
const range = { from: Date.parse('2025-12-01'), before: Date.parse('2027-06-01') }

test('a rule that is moved to another timezone recurs on the same days, and moves back', () => {
  const zone = fc.constantFrom(...zones)
  fc.assert(
    fc.property(fc.constantFrom(...rules), zone, zone, (rule, from, to) => {
      const daysIn = (text: string, timezone: string) =>
        listOccurrences(occurrencesOf(text, timezone), range, 1000)
          .map((instant) => localDay(instant, timezone))
          .filter((day) => day > first && day < last)
      const moved = movedRuleset(rule, { from, to })
      expect(daysIn(moved, to)).toEqual(daysIn(rule, from))
      const back = movedRuleset(moved, { from: to, to: from })
      expect(daysIn(back, from)).toEqual(daysIn(rule, from))
    }),
  )
})

test('the start is written by the new midnight, with the new timezone if it has one', () => {
  const to = { from: 'America/Chicago', to: 'Europe/Berlin' }
  const written = ['DTSTART:20260501T050000Z', 'DTSTART;TZID=America/Chicago:20260501T000000']
  expect(written.map((start) => movedRuleset(`${start}\nRRULE:FREQ=MONTHLY`, to))).toEqual([
    'DTSTART:20260430T220000Z\nRRULE:FREQ=MONTHLY',
    'DTSTART;TZID=Europe/Berlin:20260501T000000\nRRULE:FREQ=MONTHLY',
  ])
})

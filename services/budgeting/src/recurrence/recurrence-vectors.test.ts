import { readFileSync } from 'node:fs'
import { expect, jest, test } from '@jest/globals'
import rrule from 'rrule'
import { countOccurrences, listOccurrences, occurrenceAfter, occurrencesOf } from './recurrence.ts'

const minuteMs = 60_000
const listedMax = 8
/** Twelve years, the time span of the test vectors (test/data/recurrences.py). */
const spanMs = 366 * 12 * 86_400_000

const lines = readFileSync(
  new URL('../../../../test/data/recurrences.txt', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')

function found(line: string): { given: string; listed: string[]; expected: string[] } {
  const [timezone = '', text = '', since = '', steps = ''] = line.split('|')
  const ruleset = text.replaceAll('\\n', '\n')
  const from = Number(since) * minuteMs
  let at = from
  const expected = steps
    .split(' ')
    .filter(Boolean)
    .map((step) => {
      at += Number(step) * minuteMs
      return new Date(at).toISOString()
    })
  const start = Date.parse(
    text.slice(8, 24).replace(/(....)(..)(..)T(..)(..)(..)/, '$1-$2-$3T$4:$5:$6'),
  )
  const range = { from, before: start + spanMs + 1 }
  const instants = listOccurrences(occurrencesOf(ruleset, timezone), range, listedMax)
  const listed = instants.map((instant) => new Date(instant).toISOString())
  return { given: `${timezone} ${ruleset}`, listed, expected }
}

test('3,000 random rules have the same occurrences as with python-dateutil', () => {
  expect(lines).toHaveLength(3000)
  const wrong = lines.map(found).filter((one) => `${one.listed}` !== `${one.expected}`)
  expect(wrong).toEqual([])
})

const days = Array.from({ length: 366 }, (_, index) => index + 1).join(',')

test.each([
  ['that counts far', 'FREQ=DAILY;COUNT=10000'],
  ['that counts rare days', 'FREQ=DAILY;COUNT=10000;BYMONTH=2;BYMONTHDAY=29'],
  ['that counts days that never come', 'FREQ=WEEKLY;COUNT=10000;BYSETPOS=9'],
  ['with a wide interval', 'FREQ=DAILY;INTERVAL=10000'],
  ['on 30 February', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
  ['on 31 February, looked for daily', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31'],
  ['at the 366th position of a week', 'FREQ=WEEKLY;BYDAY=MO;BYSETPOS=366'],
  ['at the second fifth Monday', 'FREQ=MONTHLY;BYDAY=5MO;BYSETPOS=2'],
  ['on every day of the year by name', `FREQ=DAILY;BYYEARDAY=${days};BYSETPOS=366`],
])('a rule %s expands a bounded number of years', (_, rule) => {
  const occurrences = occurrencesOf(`DTSTART:19000101\nRRULE:${rule}`, 'America/Santiago')
  const now = Date.UTC(2026, 0, 1)
  occurrenceAfter(occurrences, now)
  countOccurrences(occurrences, { from: now, before: Date.UTC(9999, 0, 1) })
  // Bound: the 126 years from DTSTART to `now`, and the 102 calendar years that a search of 100
  // years can reach.
  expect(occurrences.years.size).toBeLessThanOrEqual(126 + 102)
})

type Instants = [number, number, number]
const exceptions = Array.from({ length: 54 }, (_, index) => `${1980 + 3 * index}0101T060000`)

test.each([
  ['daily', 'FREQ=DAILY'],
  ['of many places', `FREQ=YEARLY;BYYEARDAY=${days};BYSETPOS=${days}`],
  ['of which dates are taken away', `FREQ=DAILY\nEXDATE:${exceptions.join(',')}`],
  ['to which dates are added', `FREQ=YEARLY\nRDATE:${exceptions.join(',')}`],
  ['that counts', 'FREQ=DAILY;COUNT=10000;INTERVAL=9'],
  ['of every month, with a wide interval', 'FREQ=MONTHLY;INTERVAL=9999;COUNT=10000'],
])('counting a century of a rule %s asks for few instants', (_, rule) => {
  const asked = jest.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
  const expanded = jest.spyOn(rrule.RRule.prototype, 'all')
  const occurrences = occurrencesOf(`DTSTART:19000101T060000Z\nRRULE:${rule}`, 'Europe/Dublin')
  const [from, middle, before] = [2026, 2071, 2126].map((year) => Date.UTC(year)) as Instants
  const whole = countOccurrences(occurrences, { from, before })
  const first = countOccurrences(occurrences, { from, before: middle })
  expect(whole).toBe(first + countOccurrences(occurrences, { from: middle, before }))
  // Only days near the ends of a range, and near RDATEs and EXDATEs, are converted to instants.
  const known = [...occurrences.years.values()].flatMap(({ instants }) => [...instants])
  expect(known.filter((instant) => instant !== 0).length).toBeLessThanOrEqual(3 * (54 + 6))
  expect(asked.mock.calls.length).toBeLessThanOrEqual(4 * 3 * (54 + 6))
  expect(expanded.mock.calls.length).toBeLessThanOrEqual(14)
  asked.mockRestore()
  expanded.mockRestore()
})

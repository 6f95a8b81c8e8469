import { readRuleset } from '@coffer/kit/values/ruleset'
import { describe, expect, test } from '@jest/globals'
import { renderRuleset } from './ruleset-text.ts'

const start = 'DTSTART:20220101T060000Z'
const monthly = 'RRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'

const normalise = (text: string) => {
  const read = readRuleset(text)
  return 'rule' in read ? renderRuleset(read.rule) : read
}

describe('accepted, and normalised (docs/recurrence.md)', () => {
  test.each([
    ['a DTSTART line and an RRULE line', `${start}\n${monthly}`, `${start}\n${monthly}`],
    [
      'parts in any order',
      `${start}\nRRULE:BYDAY=MO,-1FR;BYWEEKNO=2,3;BYYEARDAY=9;BYMONTHDAY=+01;BYMONTH=3` +
        ';BYSETPOS=-1;UNTIL=20300101;COUNT=9;WKST=SU;INTERVAL=2;FREQ=YEARLY',
      `${start}\nRRULE:FREQ=YEARLY;INTERVAL=2;WKST=SU;COUNT=9;UNTIL=20300101T000000Z` +
        ';BYSETPOS=-1;BYMONTH=3;BYMONTHDAY=1;BYYEARDAY=9;BYWEEKNO=2,3;BYDAY=MO,-1FR',
    ],
    ['a start without Z', `DTSTART:20220101T060000\n${monthly}`, `${start}\n${monthly}`],
    [
      'a start without time',
      `DTSTART:20220101\n${monthly}`,
      `DTSTART:20220101T000000Z\n${monthly}`,
    ],
    [
      'a start with a timezone, as sent',
      `DTSTART;TZID=America/Chicago:20220101T000000\n${monthly}`,
      `DTSTART;TZID=America/Chicago:20220101T000000\n${monthly}`,
    ],
    ['a start inside the rule', `${monthly};DTSTART=20220101T060000Z`, `${start}\n${monthly}`],
    ['the rule before its start', `${monthly}\n${start}`, `${start}\n${monthly}`],
    ['COUNT', `${start}\nRRULE:FREQ=DAILY;COUNT=3`, `${start}\nRRULE:FREQ=DAILY;COUNT=3`],
    [
      'EXDATE and RDATE',
      `${start}\n${monthly}\nEXDATE:20220115T060000Z,20220131\n` +
        'RDATE;TZID=America/Chicago:20220120T000000',
      `${start}\n${monthly}\nRDATE:20220120T060000Z\n` +
        'EXDATE:20220115T060000Z\nEXDATE:20220131T000000Z',
    ],
  ])('%s', (_, text, normalised) => {
    expect(normalise(text)).toBe(normalised)
    expect(normalise(normalised)).toBe(normalised)
  })
})

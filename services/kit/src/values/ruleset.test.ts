import { describe, expect, test } from '@jest/globals'
import { readRuleset, renderRuleset } from './ruleset.ts'

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

describe('refused, with a reason (docs/recurrence.md)', () => {
  const line = 'must be a DTSTART line and an RRULE line'
  const frequency = 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY'
  const time = 'times must look like 20220131T060000Z'
  test.each([
    ['', line],
    [monthly, 'must have exactly one DTSTART'],
    [`${start}\n${start}\n${monthly}`, 'must have exactly one DTSTART'],
    [`${start}\n${monthly};DTSTART=20220101`, 'must have exactly one DTSTART'],
    [start, 'must have exactly one RRULE line'],
    [`${start}\n${monthly}\n${monthly}`, 'must have exactly one RRULE line'],
    [`${start}\r\n${monthly}`, 'lines must be separated by a line feed alone'],
    [`${start} ${monthly}`, 'must have exactly one RRULE line'],
    [`${start}\nFREQ=MONTHLY`, line],
    [`${start}\n${monthly}\n`, line],
    [`${start.toLowerCase()}\n${monthly}`, line],
    [`${start}\nrrule:FREQ=MONTHLY`, line],
    [`${start}\nRRULE:freq=MONTHLY`, 'freq is not supported'],
    [`${start}\nRRULE:FREQ=monthly`, frequency],
    [`${start}\nRRULE:INTERVAL=1`, frequency],
    [`${start}\nRRULE:FREQ=HOURLY`, frequency],
    [`${start}\nRRULE:FREQ=MINUTELY`, frequency],
    [`${start}\nRRULE:FREQ=SECONDLY`, frequency],
    [`${start}\nRRULE:FREQ=DAILY;FREQ=DAILY`, 'FREQ must be given once'],
    [`${start}\nRRULE:FREQ=DAILY;`, 'rule parts must look like FREQ=MONTHLY'],
    [`${start}\nRRULE:FREQ=DAILY;COUNT=`, 'rule parts must look like FREQ=MONTHLY'],
    [`${start}\nRRULE:FREQ=DAILY;BYHOUR=1`, 'BYHOUR is not supported'],
    [`${start}\nRRULE:FREQ=DAILY;BYMINUTE=1`, 'BYMINUTE is not supported'],
    [`${start}\nRRULE:FREQ=DAILY;BYSECOND=1`, 'BYSECOND is not supported'],
    [`${start}\nRRULE:FREQ=YEARLY;BYEASTER=1`, 'BYEASTER is not supported'],
    [`${start}\nRRULE:FREQ=DAILY;INTERVAL=-1`, 'INTERVAL must be from 1 to 10000'],
    [`${start}\nRRULE:FREQ=DAILY;INTERVAL=0`, 'INTERVAL must be from 1 to 10000'],
    [`${start}\nRRULE:FREQ=DAILY;INTERVAL=1,2`, 'INTERVAL must be one number'],
    [`${start}\nRRULE:FREQ=DAILY;COUNT=10001`, 'COUNT must be from 1 to 10000'],
    [`${start}\nRRULE:FREQ=YEARLY;BYMONTH=13`, 'BYMONTH must be from 1 to 12'],
    [`${start}\nRRULE:FREQ=MONTHLY;BYMONTHDAY=32`, 'BYMONTHDAY must be from -31 to 31 and not 0'],
    [`${start}\nRRULE:FREQ=MONTHLY;BYMONTHDAY=0`, 'BYMONTHDAY must be from -31 to 31 and not 0'],
    [`${start}\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1.5`, 'BYMONTHDAY must be from -31 to 31 and not 0'],
    [`${start}\nRRULE:FREQ=WEEKLY;BYDAY=XX`, 'BYDAY must be weekdays such as MO or -1FR'],
    [`${start}\nRRULE:FREQ=MONTHLY;BYDAY=0MO`, 'BYDAY must be weekdays such as MO or -1FR'],
    [
      `${start}\nRRULE:FREQ=WEEKLY;BYDAY=1MO`,
      'BYDAY takes a number only in a monthly or yearly rule',
    ],
    [`${start}\nRRULE:FREQ=WEEKLY;BYWEEKNO=1`, 'BYWEEKNO needs a yearly rule'],
    [`${start}\nRRULE:FREQ=WEEKLY;WKST=XX`, 'WKST must be a weekday such as MO'],
    [`${start}\nRRULE:FREQ=DAILY;UNTIL=soon`, time],
    [`DTSTART:20220230T000000Z\n${monthly}`, time],
    [`DTSTART:20220101T240000Z\n${monthly}`, time],
    [`DTSTART:20220101T06:00:00Z\n${monthly}`, time],
    [`DTSTART:99990101T000000Z\n${monthly}`, 'times must be between the years 1900 and 2199'],
    [
      `DTSTART;TZID=Moon/Base:20220101T000000\n${monthly}`,
      'TZID must be a timezone such as Europe/Berlin',
    ],
    [`DTSTART;TZID=Europe/Berlin:20220101T000000Z\n${monthly}`, 'a time with TZID takes no Z'],
    [`${start}\nRRULE;TZID=Europe/Berlin:FREQ=DAILY`, 'RRULE takes no TZID'],
    [`${start}\n${monthly}${';'.repeat(4000)}`, 'must be at most 4000 characters'],
  ])('%j', (text, problem) => {
    expect(readRuleset(text)).toEqual({ problem })
  })
})

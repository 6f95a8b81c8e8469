import { describe, expect, test } from '@jest/globals'
import { readRuleset } from './ruleset.ts'

const start = 'DTSTART:20220101T060000Z'
const monthly = 'RRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'

describe('refused, with a reason (docs/recurrence.md)', () => {
  const line = 'must be a DTSTART line and an RRULE line'
  const frequency = 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY'
  const time = 'times must look like 20220131T060000Z'
  const missing = (text: string) => `${text} is not a time of the calendar`
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
    [`DTSTART:20220230T000000Z\n${monthly}`, missing('20220230T000000Z')],
    [`DTSTART:20220101T240000Z\n${monthly}`, missing('20220101T240000Z')],
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

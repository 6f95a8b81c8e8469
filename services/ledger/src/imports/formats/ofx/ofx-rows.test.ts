import { expect, test } from '@jest/globals'
import { readDay, readInstant } from './ofx-rows.ts'

const CHICAGO = 'America/Chicago'

// A date becomes midnight of its day as written, in the account's timezone.
test.each([
  ['20240115', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115120000', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240715120000.000', CHICAGO, '2024-07-15T05:00:00.000Z'],
  ['20240115030000.000[0:GMT]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240115[-5:EST]', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['202401151200', CHICAGO, '2024-01-15T06:00:00.000Z'],
  ['20240229', 'UTC', '2024-02-29T00:00:00.000Z'],
  ['20240115', 'Pacific/Auckland', '2024-01-14T11:00:00.000Z'],
  // Clocks in Beirut skip midnight on 31 March 2024: the day begins at 01:00 (UTC+3).
  ['20240331', 'Asia/Beirut', '2024-03-30T22:00:00.000Z'],
  // Midnight occurs twice: the day begins with the first.
  ['20261025', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
  ['20261101', 'America/Havana', '2026-11-01T04:00:00.000Z'],
])('the day of %s in %s begins at %s', (text, timezone, instant) => {
  expect(readDay(text, timezone)?.toISOString()).toBe(instant)
})

test.each(['20240230', '20241301', '00000000', '2024-01-15', '240115', '15012024x', ''])(
  '%j is not a day',
  (text) => {
    expect(readDay(text, CHICAGO)).toBeNull()
    expect(readInstant(text, CHICAGO)).toBeNull()
  },
)

test.each([
  ['20240115120000', '2024-01-15T18:00:00.000Z'],
  ['202401151200', '2024-01-15T18:00:00.000Z'],
  ['20240115120000.123[-5:EST]', '2024-01-15T17:00:00.000Z'],
  ['20240115120000[0:GMT]', '2024-01-15T12:00:00.000Z'],
  ['20240115120000[+5.5:IST]', '2024-01-15T06:30:00.000Z'],
  ['20240115120000[:EST]', '2024-01-15T18:00:00.000Z'],
  ['20240115', '2024-01-16T05:59:59.000Z'],
  ['20240115250000', undefined],
  ['00000101', undefined],
  ['99991231235959', undefined],
])('the instant of %s is %s', (text, instant) => {
  expect(readInstant(text, CHICAGO)?.toISOString()).toBe(instant)
})

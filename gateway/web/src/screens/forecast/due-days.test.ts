import type { Forecast } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { withDueDays } from './due-days.ts'

type Event = Forecast['events'][number]

test('days on which envelopes alone pay are between the changes of free to use', () => {
  const none = { deposit: 0, contribution: 0, paid: 0 }
  const free = [
    { ...none, date: '2026-11-29T12:00:00Z', free: 500 },
    { ...none, date: '2026-12-04T06:00:00Z', free: 300 },
  ]
  const events = [
    { date: '2026-12-01T06:00:00Z', spending: [{ transactionAmount: 100 }] },
    { date: '2026-12-02T06:00:00Z', spending: [{ transactionAmount: 0 }] },
    { date: '2026-12-04T06:00:00Z', spending: [{ transactionAmount: 100 }] },
  ] as Event[]
  const days = withDueDays({ free, events }).map((one) => [one.date.slice(0, 10), one.free])
  expect(days).toEqual([
    ['2026-11-29', 500],
    ['2026-12-01', 500],
    ['2026-12-04', 300],
  ])
})

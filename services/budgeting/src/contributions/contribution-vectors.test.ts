import { midnightOf } from '@coffer/kit/values/day'
import { expect, test } from '@jest/globals'
import { recalculate } from './contribution.ts'

const chicago = 'America/Chicago'
const newYork = 'America/New_York'
const sydney = 'Australia/Sydney'

const twiceMonthly = (start: string) =>
  `DTSTART:${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`
const monthly = (day: number, start: string) =>
  `DTSTART:${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=${day}`
const weekly = (day: string, start: string) =>
  `DTSTART:${start}\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=${day}`
const U = twiceMonthly('20211231T000000Z')
const C = twiceMonthly('20211231T060000Z')
const mondays = weekly('MO', '20220411')
const everyOtherWednesday = 'DTSTART:20250122T050000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=WE'
const quarterly = 'DTSTART:20230401T050000Z\nRRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1'
const yearly = 'DTSTART:20230201\nRRULE:FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=1'

type Vector = {
  id: string
  timezone: string
  funding: [ruleset: string, next: string, weekends?: 'weekends excluded']
  spending: [ruleset: string | null, next: string, target: bigint, current: bigint, used?: bigint]
  now: string
  expected: { e1: number; e2: number; amount: bigint; isBehind: boolean }
  dueAfter?: string
}

/** Test vectors of docs/plans.md#contributions. Plan C19 is behind (docs/plans.md#behind). */
const vectors: Vector[] = [
  {
    id: 'C1',
    timezone: chicago,
    funding: [C, '2022-06-15T05:00Z'],
    spending: [monthly(8, '20220708T050000Z'), '2022-07-08T05:00Z', 25_000n, 6960n],
    now: '2022-06-15T03:37:43Z',
    expected: { e1: 0, e2: 0, amount: 9020n, isBehind: false },
  },
  {
    id: 'C2',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [monthly(10, '20220410'), '2022-04-10T00:00Z', 1500n, 0n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 1, e2: 0, amount: 1500n, isBehind: true },
  },
  {
    id: 'C3',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [monthly(10, '20220410'), '2022-04-10T00:00Z', 1500n, 0n],
    now: '2022-04-11T12:00Z',
    expected: { e1: 0, e2: 0, amount: 750n, isBehind: false },
    dueAfter: '2022-05-10T00:00Z',
  },
  {
    id: 'C4',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [weekly('FR', '20220415'), '2022-04-15T00:00Z', 1500n, 0n],
    now: '2022-04-14T12:00Z',
    expected: { e1: 0, e2: 3, amount: 4500n, isBehind: false },
  },
  {
    id: 'C5',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [mondays, '2022-04-11T00:00Z', 5000n, 5000n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 1, e2: 2, amount: 10_000n, isBehind: false },
  },
  {
    id: 'C6',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [mondays, '2022-04-11T00:00Z', 5000n, 0n],
    now: '2022-04-12T12:00Z',
    expected: { e1: 0, e2: 2, amount: 10_000n, isBehind: false },
    dueAfter: '2022-04-18T00:00Z',
  },
  {
    id: 'C7',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [mondays, '2022-04-11T00:00Z', 5000n, 16_000n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 1, e2: 2, amount: 0n, isBehind: false },
  },
  {
    id: 'C8',
    timezone: 'UTC',
    funding: [U, '2022-04-30T00:00Z'],
    spending: [mondays, '2022-04-11T00:00Z', 5000n, 5000n],
    now: '2022-04-15T00:00Z',
    expected: { e1: 2, e2: 2, amount: 10_000n, isBehind: true },
    dueAfter: '2022-04-18T00:00Z',
  },
  {
    id: 'C9',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [null, '2022-04-11T00:00Z', 5000n, 16_000n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 1, e2: 0, amount: 0n, isBehind: false },
  },
  {
    id: 'C10',
    timezone: chicago,
    funding: [C, '2022-01-15T06:00Z'],
    spending: [null, '2022-12-31T06:00Z', 12_000n, 0n],
    now: '2022-01-01T20:00Z',
    expected: { e1: 0, e2: 0, amount: 500n, isBehind: false },
  },
  {
    id: 'C11',
    timezone: chicago,
    funding: [C, '2022-09-30T05:00Z'],
    spending: [monthly(15, '20221015T050000Z'), '2022-10-15T05:00Z', 25_000n, 0n],
    now: '2022-09-27T19:32Z',
    expected: { e1: 0, e2: 0, amount: 12_500n, isBehind: false },
  },
  {
    id: 'C12',
    timezone: 'UTC',
    funding: [U, '2025-08-15T00:00Z'],
    spending: [weekly('FR', '20250815'), '2025-08-15T00:00Z', 100n, 0n],
    now: '2025-08-11T12:00Z',
    expected: { e1: 0, e2: 3, amount: 300n, isBehind: false },
  },
  {
    id: 'C13',
    timezone: chicago,
    funding: [twiceMonthly('20230228T060000Z'), '2024-10-15T05:00Z'],
    spending: [quarterly, '2024-10-01T05:00Z', 20_000n, 0n],
    now: '2024-10-08T22:15:04Z',
    expected: { e1: 0, e2: 0, amount: 3333n, isBehind: false },
    dueAfter: '2025-01-01T06:00Z',
  },
  {
    id: 'C14',
    timezone: newYork,
    funding: [everyOtherWednesday, '2025-03-05T05:00Z'],
    spending: [monthly(22, '20250122T050000Z'), '2025-03-22T04:00Z', 20_000n, 0n],
    now: '2025-02-23T05:00Z',
    expected: { e1: 0, e2: 0, amount: 10_000n, isBehind: false },
  },
  {
    id: 'C15',
    timezone: sydney,
    funding: [monthly(15, '20220114T130000Z'), '2022-02-14T13:00Z'],
    spending: [monthly(14, '20220113T130000Z'), '2022-02-13T13:00Z', 5000n, 0n],
    now: '2022-02-01T01:00Z',
    expected: { e1: 1, e2: 1, amount: 5000n, isBehind: true },
  },
  {
    id: 'C16',
    timezone: chicago,
    funding: [twiceMonthly('20241115T060000Z'), '2025-05-31T05:00Z'],
    spending: [monthly(15, '20241115T060000Z'), '2025-06-15T05:00Z', 50_000n, 17_890n],
    now: '2025-05-15T15:28:09Z',
    expected: { e1: 0, e2: 0, amount: 16_055n, isBehind: false },
  },
  {
    id: 'C17',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [null, '2022-07-01T00:00Z', 100_000n, 5000n, 5000n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 0, e2: 0, amount: 15_000n, isBehind: false },
  },
  {
    id: 'C18',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [null, '2022-04-01T00:00Z', 10_000n, 2500n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 0, e2: 0, amount: 7500n, isBehind: false },
    dueAfter: '2022-04-01T00:00Z',
  },
  {
    id: 'C19',
    timezone: chicago,
    funding: [C, '2023-10-15T05:00Z'],
    spending: [monthly(1, '20220101T060000Z'), '2023-10-10T05:00Z', 1000n, 0n],
    now: '2023-10-09T13:32Z',
    expected: { e1: 0, e2: 0, amount: 1000n, isBehind: true },
  },
  {
    id: 'C20',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [null, '2022-05-20T00:00Z', 10_000n, 0n],
    now: '2022-04-09T12:00Z',
    expected: { e1: 0, e2: 0, amount: 3333n, isBehind: false },
  },
  {
    id: 'C21',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [null, '2022-06-01T00:00Z', 10_000n, 0n],
    now: '2022-04-15T00:00Z',
    expected: { e1: 0, e2: 0, amount: 2500n, isBehind: false },
  },
  {
    id: 'C22',
    timezone: 'UTC',
    funding: [U, '2022-10-14T00:00Z', 'weekends excluded'],
    spending: [null, '2022-10-14T00:00Z', 9000n, 0n],
    now: '2022-10-01T12:00Z',
    expected: { e1: 0, e2: 1, amount: 9000n, isBehind: false },
  },
  {
    id: 'C23',
    timezone: 'UTC',
    funding: [monthly(1, '20220101'), '2022-05-01T00:00Z'],
    spending: [monthly(1, '20220101'), '2022-05-01T00:00Z', 7000n, 1000n],
    now: '2022-04-10T12:00Z',
    expected: { e1: 0, e2: 1, amount: 6000n, isBehind: false },
  },
  {
    id: 'C24',
    timezone: 'UTC',
    funding: [U, '2022-04-15T00:00Z'],
    spending: [yearly, '2023-01-01T06:00Z', 20_000n, 1454n],
    now: '2022-04-09T17:00Z',
    expected: { e1: 0, e2: 0, amount: 1030n, isBehind: false },
  },
]

test.each(vectors)('$id', ({ timezone, funding, spending, now, expected, dueAfter }) => {
  const [ruleset, next, targetAmount, currentAmount, usedAmount = 0n] = spending
  const [fundingRuleset, nextFunding, weekends] = funding
  const found = recalculate(
    {
      ruleset,
      targetAmount,
      currentAmount,
      usedAmount,
      nextRecurrence: new Date(next),
    },
    {
      ruleset: fundingRuleset,
      excludeWeekends: weekends !== undefined,
      nextRecurrence: new Date(nextFunding),
    },
    { timezone, now: new Date(now) },
  )
  expect({
    e1: found.duesBeforeFunding,
    e2: found.duesAfterFunding,
    amount: found.nextContributionAmount,
    isBehind: found.isBehind,
  }).toEqual(expected)
  expect(found.due).toEqual(dueAfter ? new Date(dueAfter) : midnightOf(new Date(next), timezone))
})

import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { type ForecastInput, forecast } from './forecast.ts'
import { createNextFundingInput, estimateCost, findNextContribution } from './forecast-questions.ts'

const timezone = 'America/Chicago'
const twiceMonthly = 'DTSTART:20211231T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'
const monthly = (day: number) =>
  `DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=${day}`
const fridays = 'DTSTART:20220107T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=FR'

/** An event: UTC date, contribution, transaction, amount afterwards, date before a weekend move. */
type Row = [string, bigint, bigint, bigint, string?]

type Vector = {
  id: string
  funding: { next: string; excludeWeekends: boolean }
  plan: {
    ruleset: string | null
    next: string
    target: bigint
    current: bigint
    used?: bigint
  }
  now: string
  end: string
  rows: Row[]
}

/** Test vectors of docs/forecast.md. Dates are midnights in Chicago, all at 05:00 UTC. */
const vectors: Vector[] = [
  {
    id: 'P1 a simple monthly expense',
    funding: { next: '2022-09-15', excludeWeekends: false },
    plan: { ruleset: monthly(8), next: '2022-10-08', target: 5000n, current: 0n },
    now: '2022-09-13T12:00Z',
    end: '2022-10-08T05:00Z',
    rows: [
      ['2022-09-15', 2500n, 0n, 2500n],
      ['2022-09-30', 2500n, 0n, 5000n],
      ['2022-10-08', 0n, 5000n, 0n],
    ],
  },
  {
    id: 'P2 spending was late, so the full envelope is owed',
    funding: { next: '2024-03-15', excludeWeekends: false },
    plan: { ruleset: monthly(2), next: '2024-03-02', target: 5000n, current: 5000n },
    now: '2024-03-04T12:00Z',
    end: '2024-04-02T05:00Z',
    rows: [
      ['2024-03-15', 2500n, 0n, 7500n],
      ['2024-03-31', 2500n, 0n, 10_000n],
      ['2024-04-02', 0n, 5000n, 5000n],
    ],
  },
  {
    id: 'P3 spent more often than funded',
    funding: { next: '2022-09-15', excludeWeekends: false },
    plan: { ruleset: fridays, next: '2022-09-16', target: 7500n, current: 0n },
    now: '2022-09-14T12:00Z',
    end: '2022-10-15T05:00Z',
    rows: [
      ['2022-09-15', 15_000n, 0n, 15_000n],
      ['2022-09-16', 0n, 7500n, 7500n],
      ['2022-09-23', 0n, 7500n, 0n],
      ['2022-09-30', 22_500n, 7500n, 15_000n],
      ['2022-10-07', 0n, 7500n, 7500n],
      ['2022-10-14', 0n, 7500n, 0n],
      ['2022-10-15', 15_000n, 0n, 15_000n],
    ],
  },
  {
    id: 'P4 the same, paid before weekends',
    funding: { next: '2022-09-15', excludeWeekends: true },
    plan: { ruleset: fridays, next: '2022-09-16', target: 7500n, current: 0n },
    now: '2022-09-14T12:00Z',
    end: '2022-10-28T05:00Z',
    rows: [
      ['2022-09-15', 15_000n, 0n, 15_000n],
      ['2022-09-16', 0n, 7500n, 7500n],
      ['2022-09-23', 0n, 7500n, 0n],
      ['2022-09-30', 15_000n, 7500n, 7500n],
      ['2022-10-07', 0n, 7500n, 0n],
      ['2022-10-14', 22_500n, 7500n, 15_000n, '2022-10-15'],
      ['2022-10-21', 0n, 7500n, 7500n],
      ['2022-10-28', 0n, 7500n, 0n],
    ],
  },
  {
    id: 'P5 a goal whose last day before the weekend was the stored one',
    funding: { next: '2024-03-15', excludeWeekends: true },
    plan: {
      ruleset: null,
      next: '2024-05-16',
      target: 1_000_000n,
      current: 48_394n,
      used: 319_861n,
    },
    now: '2024-03-28T12:00Z',
    end: '2024-06-28T05:00Z',
    rows: [
      ['2024-03-29', 157_936n, 0n, 206_330n, '2024-03-31'],
      ['2024-04-15', 157_936n, 0n, 364_266n],
      ['2024-04-30', 157_936n, 0n, 522_202n],
      ['2024-05-15', 157_937n, 0n, 680_139n],
      ['2024-05-16', 0n, 1_000_000n, -319_861n],
    ],
  },
  {
    id: 'P6 a completed goal',
    funding: { next: '2023-10-31', excludeWeekends: false },
    plan: { ruleset: null, next: '2023-11-17', target: 2000n, current: 0n, used: 2001n },
    now: '2023-10-16T12:00Z',
    end: '2023-11-01T05:00Z',
    rows: [['2023-10-31', 0n, 0n, 0n]],
  },
]

const midnight = (day: string) => new Date(`${day}T05:00Z`)

function inputOf({ funding, plan, now, end }: Omit<Vector, 'id' | 'rows'>): ForecastInput {
  return {
    plans: [
      {
        spendingId: 'spnd_a',
        fundingScheduleId: 'fund_1',
        ruleset: plan.ruleset,
        nextRecurrence: midnight(plan.next),
        targetAmount: plan.target,
        currentAmount: plan.current,
        usedAmount: plan.used ?? 0n,
      },
    ],
    schedules: [scheduleOf(funding)],
    timezone,
    now: new Date(now),
    end: new Date(end),
    free: 0n,
  }
}

function scheduleOf({ next, excludeWeekends }: Vector['funding']) {
  const identity = { fundingScheduleId: 'fund_1', ruleset: twiceMonthly, estimatedDeposit: null }
  return { ...identity, excludeWeekends, nextRecurrence: midnight(next) }
}

test.each(vectors)('$id', ({ rows, ...vector }) => {
  const { events } = forecast(inputOf(vector))
  const shown = events.flatMap(({ spending }) =>
    spending.map((one) => [
      one.date,
      one.contributionAmount,
      one.transactionAmount,
      one.rollingAllocation,
    ]),
  )
  expect(shown).toEqual(rows.map(([day, ...amounts]) => [midnight(day), ...amounts.slice(0, 3)]))
  for (const [index, [day, , , , original = day]] of rows.entries()) {
    const [funding] = events[index]?.funding ?? []
    const moved = { originalDate: midnight(original), weekendAvoided: original !== day }
    if (funding) expect(funding).toMatchObject({ date: midnight(day), ...moved })
  }
})

/** The example of docs/forecast.md#worked-example. */
const example: ForecastInput = {
  timezone,
  now: new Date('2023-08-15T00:30:01Z'),
  end: new Date('2023-10-15T00:30:01Z'),
  free: 20_000n,
  schedules: [scheduleOf({ next: '2023-08-15', excludeWeekends: true })],
  plans: [
    {
      spendingId: 'spnd_b',
      fundingScheduleId: 'fund_1',
      ruleset: null,
      targetAmount: 10_000n,
      currentAmount: 1000n,
      usedAmount: 500n,
      nextRecurrence: midnight('2023-10-01'),
    },
    {
      spendingId: 'spnd_a',
      fundingScheduleId: 'fund_1',
      ruleset: monthly(1),
      targetAmount: 2000n,
      currentAmount: 0n,
      usedAmount: 0n,
      nextRecurrence: midnight('2023-09-01'),
    },
  ],
}

const paydays = { '08-15': '08-15', '08-31': '08-31', '09-15': '09-15' }
const early = { '09-29': '09-30', '10-13': '10-15' }
const originals: Record<string, string> = { ...paydays, ...early }

test('the worked example of two envelopes', () => {
  const found = forecast(example)
  expect(found).toMatchObject({ startingBalance: 1000n, endingBalance: 500n })
  expect(found).toMatchObject({ startingTime: example.now, endingTime: example.end })
  const a = (...amounts: bigint[]) => ['spnd_a', ...amounts]
  const b = (...amounts: bigint[]) => ['spnd_b', ...amounts]
  const expected: [string, bigint, bigint, bigint, unknown[][]][] = [
    ['08-15', 3125n, 0n, 4125n, [a(1000n, 0n, 1000n), b(2125n, 0n, 3125n)]],
    ['08-31', 3125n, 0n, 7250n, [a(1000n, 0n, 2000n), b(2125n, 0n, 5250n)]],
    ['09-01', 0n, 2000n, 5250n, [a(0n, 2000n, 0n)]],
    ['09-15', 3125n, 0n, 8375n, [a(1000n, 0n, 1000n), b(2125n, 0n, 7375n)]],
    ['09-29', 3125n, 0n, 11_500n, [a(1000n, 0n, 2000n), b(2125n, 0n, 9500n)]],
    ['10-01', 0n, 12_000n, -500n, [a(0n, 2000n, 0n), b(0n, 10_000n, -500n)]],
    ['10-13', 1000n, 0n, 500n, [a(1000n, 0n, 1000n)]],
  ]
  const shown = found.events.map((event) => [
    event.date.toISOString().slice(5, 10),
    event.contribution,
    event.transaction,
    event.balance,
    event.spending.map((one) => [
      one.spendingId,
      one.contributionAmount,
      one.transactionAmount,
      one.rollingAllocation,
    ]),
  ])
  expect(shown).toEqual(expected)
  for (const { date, delta, contribution, transaction, funding } of found.events) {
    expect(delta).toBe(contribution - transaction)
    const original = originals[date.toISOString().slice(5, 10)]
    const originalDate = midnight(`2023-${original}`)
    const weekendAvoided = originalDate.getTime() !== date.getTime()
    const one = { date, originalDate, weekendAvoided, fundingScheduleId: 'fund_1' }
    expect(funding).toEqual(original ? [one] : [])
  }
})

const page = readFileSync(new URL('../../../../docs/forecast.md', import.meta.url), 'utf8')
const bills = page.split('## Bills paid on')[1]?.split('\n## ')[0] ?? ''
const cases = [...bills.matchAll(/^\| (?!case|-)(.*\w) +\|$/gm)].map(([, row = '']) => {
  return row.split('|').map((cell) => cell.trim().replace(',', '').replace('−', '-'))
})

test.each(cases)('%s (docs/forecast.md)', (_, target = '', held = '', ...expected) => {
  const funding = { next: '2023-10-15', excludeWeekends: false }
  const plan = { ruleset: monthly(1), next: '2023-10-01', target: BigInt(target) }
  const period = { now: '2023-09-30T12:00Z', end: '2023-10-02T05:00Z' }
  const input = inputOf({ ...period, funding, plan: { ...plan, current: BigInt(held) } })
  const { events, free, ...found } = forecast({ ...input, free: 1000n })
  const [one] = events[0]?.spending ?? []
  const isNegative = found.negativeFreeDate !== null
  const shown = [one?.rollingAllocation, one?.heldAmount, one?.fromFreeAmount, found.lowestFree]
  expect([...shown.map(String), isNegative ? 'yes' : 'no']).toEqual(expected)
  expect(free.at(-1)?.free).toBe(found.lowestFree)
})

test('the next funding of the worked example moves 3125', () => {
  const [schedule = scheduleOf({ next: '', excludeWeekends: false })] = example.schedules
  const asked = createNextFundingInput(schedule, example)
  expect(asked && findNextContribution(forecast(asked))).toBe(3125n)
})

test('the estimated cost of an expense is its usual contribution', () => {
  const schedule = scheduleOf({ next: '2023-08-15', excludeWeekends: false })
  const plan = { targetAmount: 5000n, currentAmount: 0n, usedAmount: 0n }
  const nextRecurrence = midnight('2023-09-08')
  const expense = { ...plan, ruleset: monthly(8), nextRecurrence }
  expect(estimateCost(expense, schedule, timezone)).toBe(2500n)
  // A goal's forecast starts one day before its date, so no funding contributes to it.
  expect(estimateCost({ ...expense, ruleset: null }, schedule, timezone)).toBe(0n)
})

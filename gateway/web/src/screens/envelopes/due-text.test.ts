import { expect, test } from '@jest/globals'
import type { Spending, Transaction } from '../../api/budget-queries.ts'
import type { HistoryEntry } from '../../api/history-queries.ts'
import {
  dueText,
  findEndedGrace,
  isBillPaid,
  isDueToday,
  isLate,
  isPaidAfter,
  isPaidToday,
} from './due-text.ts'

const reading = {
  today: '2026-12-01',
  timezone: 'America/Chicago',
  language: 'en',
  locale: 'en-US',
}
const yearly = {
  spendingType: 'expense',
  nextRecurrence: '2027-12-01T06:00:00Z',
  lastRecurrence: '2026-12-01T06:00:00Z',
  graceDays: 5,
  graceUntil: null,
  graceAmount: 0,
}
const waiting = { graceUntil: '2026-12-07T06:00:00Z', graceAmount: 800 }
const former = { lastRecurrence: '2026-11-30T06:00:00Z' }

test.each([
  ['before its day', { ...former, nextRecurrence: '2026-12-02T06:00:00Z' }, 'due tomorrow', false],
  [
    'before its day, paid',
    { ...former, nextRecurrence: '2026-12-02T06:00:00Z', settledAt: '2026-11-30T06:00:00Z' },
    'paid for Dec 2',
  ],
  ['before the job of its day', { ...former, nextRecurrence: '2026-12-01T06:00:00Z' }, 'due today'],
  ['on its day, unpaid', waiting, 'due today', false],
  ['on its day, paid', {}, 'bill of today paid, next due in 12 months', false],
  ['on its day, without a grace', { graceDays: 0 }, 'was due today, next due in 12 months', false],
  ['after its day, unpaid', { ...former, ...waiting }, 'next due in 12 months', true],
  [
    'on its day, paid for less',
    { ...waiting, isPaidLate: true },
    'bill of today paid, next due in 12 months',
  ],
  [
    'after its day, paid for less',
    { ...former, ...waiting, isPaidLate: true },
    'next due in 12 months',
  ],
  [
    'of groceries on its day',
    { ...waiting, carryOver: true },
    'left until the payday in 3 days',
    false,
  ],
  [
    'of groceries after its day',
    { ...former, ...waiting, carryOver: true },
    'left until the payday in 3 days',
    false,
  ],
  ['of groceries that are paused', { carryOver: true, isPaused: true }, 'left', false],
  ['as a goal', { spendingType: 'goal', lastRecurrence: null }, 'wanted in 12 months', false],
])(
  'a bill %s',
  (_, {
    isPaidLate = false,
    ...changed
  }: object & { isPaidLate?: boolean }, text, late = false) => {
    const spending = { ...yearly, ...changed } as Spending
    const said = dueText(spending, { ...reading, payday: '2026-12-04' }, isPaidLate)
    expect([said, isLate(spending, reading, isPaidLate)]).toEqual([text, late])
    const waits = text === 'due today' && spending.graceAmount > 0
    expect(isDueToday(spending, reading, isPaidLate)).toBe(waits)
  },
)

test.each([
  ['paid in full on its day', { graceUntil: waiting.graceUntil }, true, true],
  ['paid for less on its day', waiting, true, true],
  ['with an empty envelope, unpaid', { graceUntil: waiting.graceUntil }, false, false],
  ['paid before its day', {}, false, true],
  ['paid on the day before', { ...former, graceUntil: waiting.graceUntil }, true, false],
  ['of groceries', { carryOver: true }, true, false],
])('a bill of today is called paid: %s', (_, changed, isPaidLate, isPaid) => {
  const spending = { ...yearly, ...changed } as Spending
  expect(isPaidToday(spending, reading, isPaidLate)).toBe(isPaid)
})

test.each<[string, [day: string, taken: number, amount?: number][], boolean, object?]>([
  ['since its day', [['2026-12-02', 1]], true],
  ['most of it since its day, from free to use', [['2026-12-01', 0, 760]], true],
  ['a part of it since its day, from free to use', [['2026-12-01', 0, 740]], false],
  ['most of it shortly before', [['2026-11-28', 750]], true],
  [
    'most of it in two parts',
    [
      ['2026-11-20', 400],
      ['2026-11-28', 350],
    ],
    true,
  ],
  ['a part shortly before', [['2026-11-28', 740]], false],
  ['the bill before, on its day', [['2026-11-01', 1_000]], false],
  ['nothing of it', [['2026-12-02', 0]], false],
  ['the late bill of the week before', [['2026-11-28', 900]], false, { days: 7 }],
])(
  'a bill is paid by a payment of %s',
  (_, payments, isPaid, { days = 31 }: { days?: number } = {}) => {
    const paid = payments.map(([day, spendingAmount, amount = spendingAmount]) => {
      return { date: `${day}T06:00:00Z`, spendingAmount, amount } as Transaction
    })
    const nextRecurrence = new Date(Date.UTC(2026, 11, 1 + days, 6)).toISOString()
    const spending = { ...yearly, nextRecurrence, targetAmount: 1_000 } as Spending
    expect(isBillPaid(paid, spending, reading.timezone)).toBe(isPaid)
  },
)

test.each([
  ['since the payday', {}, '2027-02-01T06:00:00Z', true],
  ['before the last payday', {}, '2027-02-12T06:00:00Z', false],
  ['without a payday', {}, null, true],
  ['that returned nothing', { delta: 0 }, null, false],
  ['that is the end of a period', { operationId: 'spnd_a/2027-02-01' }, null, false],
])('the end of a grace %s is found: %j, payday %s', (_, of, since, isFound) => {
  const ended = {
    operationId: 'spnd_a/grace/2027-02-08T06:00:00Z',
    cause: 'period-closed',
    delta: -75_000,
    createdAt: '2027-02-08T06:00:10Z',
    ...of,
  } as HistoryEntry
  expect(findEndedGrace([ended], since)).toBe(isFound ? ended : undefined)
})

test.each([
  ['entered after it, from free to use', '2026-12-07T09:00:00Z', 0, true],
  ['entered before it, which has left a rest', '2026-12-06T09:00:00Z', 900, false],
])('the money of an ended grace is spent by a payment %s: %s', (_, createdAt, taken, isPaid) => {
  const ended = { createdAt: '2026-12-07T06:00:10Z' } as HistoryEntry
  const payment = { date: '2026-12-02T06:00:00Z', amount: 1_000, spendingAmount: taken, createdAt }
  const spending = { ...yearly, targetAmount: 1_000 } as Spending
  const of = { paid: [payment as Transaction], spending, timezone: reading.timezone }
  expect(isPaidAfter(ended, of)).toBe(isPaid)
})

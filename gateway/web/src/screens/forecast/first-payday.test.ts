import type { Forecast } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { firstPaydays } from './first-payday.ts'

type Event = Forecast['events'][number]

/** An event of the envelope: its day of December, a contribution, a bill, and what it holds. */
function event([day, added, bill, held]: (number | null)[]): Event {
  const date = `2026-12-${String(day).padStart(2, '0')}T06:00:00Z`
  const change = { date, spendingId: 'spnd_1', heldContribution: added ?? 0, heldAmount: held }
  const funding = added === null ? [] : [{ date }]
  return { date, spending: [{ ...change, transactionAmount: bill, funding }] } as unknown as Event
}

const envelope = {
  spendingId: 'spnd_1',
  name: 'Rent',
  spendingType: 'expense',
  targetAmount: 900,
  usedAmount: 0,
  currentAmount: 300,
  nextRecurrence: '2027-02-01T06:00:00Z',
} as const

const shared = { name: 'Rent', needed: 900, isDueFirst: false, due: '2026-12-20T06:00:00Z' }

test.each([
  [
    'holds a part',
    [
      [4, 200, 0, 500],
      [11, 200, 0, 700],
      [18, 200, 0, 900],
      [20, null, 900, 0],
      [25, 450, 0, 450],
      [28, 450, 0, 900],
    ],
    { ...shared, amount: 200, usual: 450, held: 300, paydays: 3 },
  ],
  [
    'has bills before the second payday',
    [
      [1, null, 200, 100],
      [4, 1700, 0, 1800],
      [5, null, 900, 900],
      [12, null, 900, 0],
      [18, 1800, 0, 1800],
    ],
    {
      name: 'Rent',
      amount: 1700,
      usual: 1800,
      held: 100,
      needed: 1800,
      isDueFirst: true,
      due: '2026-12-05T06:00:00Z',
      paydays: 1,
    },
  ],
  [
    'is due after the forecast',
    [
      [4, 50, 0, 350],
      [18, 100, 0, 450],
    ],
    { ...shared, due: envelope.nextRecurrence, amount: 50, usual: 100, held: 300, paydays: null },
  ],
  [
    'differs by a remainder',
    [
      [4, 1000, 0, 1300],
      [18, 1001, 0, 2301],
    ],
    null,
  ],
  ['has one payday', [[4, 200, 0, 500]], null],
])('the first payday of an envelope that %s', (_, rows, expected) => {
  const events = rows.map(event)
  const found = [...firstPaydays({ events }, [envelope]).values()].flat()
  if (expected === null) return expect(found).toEqual([])
  expect(found).toEqual([expected])
})

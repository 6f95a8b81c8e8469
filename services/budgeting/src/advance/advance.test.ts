import { amountMax } from '@coffer/kit/values/money'
import { describe, expect, test } from '@jest/globals'
import { chicago, fridays, pay, rent } from '../../test/samples.ts'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import type { Spending } from '../book/spending.ts'
import { recalculate } from '../contributions/contribution.ts'
import { fire } from '../contributions/funding-dates.ts'
import { calculateLines, listMissedDates, type MissedDate, splitIntoBatches } from './advance.ts'

const timezone = chicago
const envelope = (changes: Partial<Spending>): Spending => ({ ...rent, ...changes })
const goal = (changes: Partial<Spending>) =>
  envelope({ spendingType: 'goal', ruleset: null, ...changes })

describe('missed dates', () => {
  const list = (
    now: string,
    given: { schedules?: FundingSchedule[]; spending?: Spending[] },
    limit = 100,
  ) =>
    listMissedDates(
      { schedules: given.schedules ?? [], spending: given.spending ?? [] },
      { timezone, now: new Date(now), limit },
    ).map((date) => [date.kind, date.at.toISOString().slice(0, 16)])

  test('a firing is missed from its instant on', () => {
    expect(list('2023-10-13T04:59:59Z', { schedules: [pay], spending: [envelope({})] })).toEqual([])
    expect(list('2023-10-13T05:00:00Z', { schedules: [pay] })).toEqual([
      ['funding', '2023-10-13T05:00'],
    ])
  })

  test('each missed occurrence is listed, ordered by instant', () => {
    const given = { schedules: [pay], spending: [envelope({}), goal({})] }
    expect(list('2023-12-01T07:00Z', given)).toEqual([
      ['funding', '2023-10-13T05:00'],
      ['funding', '2023-10-31T05:00'],
      ['due', '2023-11-01T05:00'],
      ['due', '2023-11-01T05:00'],
      ['funding', '2023-11-15T06:00'],
      ['funding', '2023-11-30T06:00'],
      ['due', '2023-12-01T06:00'],
    ])
  })

  test('on a tie the funding comes first', () => {
    const onPayday = envelope({ nextRecurrence: new Date('2023-10-13T05:00Z') })
    expect(list('2023-10-13T06:00Z', { schedules: [pay], spending: [onPayday] })).toEqual([
      ['funding', '2023-10-13T05:00'],
      ['due', '2023-10-13T05:00'],
    ])
  })

  test('a limit returns the earliest dates', () => {
    const weekly = envelope({ ruleset: fridays, nextRecurrence: new Date('2023-10-06T05:00Z') })
    const given = { schedules: [pay], spending: [weekly] }
    expect(list('2023-11-20', given, 3)).toEqual([
      ['due', '2023-10-06T05:00'],
      ['funding', '2023-10-13T05:00'],
      ['due', '2023-10-13T05:00'],
    ])
  })

  test('paused plans and ended rules have no missed dates', () => {
    const past = new Date('2023-10-01T05:00Z')
    const over = { lastRecurrence: past, nextRecurrence: past }
    const given = {
      schedules: [{ ...pay, ...over }],
      spending: [envelope({ isPaused: true }), goal(over)],
    }
    expect(list('2024-01-01', given)).toEqual([])
  })
})

describe('batches of missed dates', () => {
  /** Parses dates: `F1` is a firing of schedule 1, `D2` a due date of plan 2. */
  const parseDates = (text: string) =>
    text.split(' ').map((name, day): MissedDate => {
      const at = new Date(Date.UTC(2023, 0, day + 1))
      const id = name.slice(1)
      return name.startsWith('F')
        ? { kind: 'funding', at, fundingScheduleId: id }
        : { kind: 'due', at, spendingId: id }
    })

  test.each([
    ['F1', 'F1'],
    ['F1 F2 D1 D2', 'F1 F2 D1 D2'],
    ['F1 D1 F2', 'F1 D1 | F2'],
    ['F1 F2 F1 D1', 'F1 F2 | F1 D1'],
    ['D1 D1 F1 D1 D1', 'D1 D1 | F1 D1 D1'],
    [Array(21).fill('D1').join(' '), `${Array(20).fill('D1').join(' ')} | D1`],
  ])('%s', (text, batches) => {
    const shown = splitIntoBatches(parseDates(text)).map(({ fundings, dues }) =>
      [
        ...fundings.map(({ fundingScheduleId }) => `F${fundingScheduleId}`),
        ...dues.map(({ spendingId }) => `D${spendingId}`),
      ].join(' '),
    )
    expect(shown.join(' | ')).toBe(batches)
  })

  test('without dates there are no batches', () => {
    expect(splitIntoBatches([])).toEqual([])
  })
})

/** The cases are the envelopes of docs/hourly-job.md#worked-example. */
describe('a funding moves', () => {
  const past = new Date('2023-10-01T05:00Z')
  test.each([
    {
      name: 'a part of the target',
      spending: envelope({ targetAmount: 1001n }),
      line: { amount: 500n, ceiling: 1001n },
      contribution: 501n,
    },
    {
      name: 'nothing into a full envelope',
      spending: envelope({ currentAmount: 1000n, nextContributionAmount: 0n }),
      line: null,
      contribution: 0n,
    },
    {
      name: 'no more than is missing',
      spending: envelope({ currentAmount: 900n }),
      line: { amount: 100n, ceiling: 1000n },
      contribution: 0n,
    },
    {
      name: 'into a goal, whose spent money counts',
      spending: goal({
        currentAmount: 100n,
        usedAmount: 100n,
        nextContributionAmount: 100n,
        nextRecurrence: new Date('2023-12-01T06:00Z'),
      }),
      line: { amount: 100n, ceiling: 1000n },
      contribution: 175n,
    },
    {
      name: 'into a goal past its date',
      spending: goal({
        currentAmount: 100n,
        usedAmount: 100n,
        nextContributionAmount: 800n,
        nextRecurrence: past,
        lastRecurrence: past,
      }),
      line: { amount: 800n, ceiling: 1000n },
      contribution: 0n,
    },
    {
      name: 'into a weekly envelope, all the targets until the next funding',
      spending: envelope({
        ruleset: fridays,
        nextRecurrence: new Date('2023-10-13T05:00Z'),
        currentAmount: 200n,
        nextContributionAmount: 2800n,
      }),
      line: { amount: 2800n, ceiling: 3000n },
      // 2000 for 3 and 10 November, less 1000 in the envelope for the past due date 13 October.
      contribution: 1000n,
    },
  ])('$name', ({ spending, line, contribution }) => {
    const [found] = calculateLines([spending], pay, timezone)
    expect(found ?? null).toEqual(line && { spendingId: 'spnd_1', ...line })
    const funded = { ...spending, currentAmount: spending.currentAmount + (found?.amount ?? 0n) }
    const asOf = { timezone, now: new Date('2023-10-13T06:00Z') }
    const after = recalculate(funded, fire(pay, timezone), asOf)
    expect(after.nextContributionAmount).toBe(contribution)
  })

  test('at most the largest amount, for any number of due dates', () => {
    const often = envelope({
      ruleset: fridays,
      nextRecurrence: new Date('2023-10-13T05:00Z'),
      targetAmount: amountMax,
      nextContributionAmount: amountMax,
    })
    const line = { spendingId: 'spnd_1', amount: amountMax, ceiling: amountMax }
    expect(calculateLines([often], pay, timezone)).toEqual([line])
  })

  test('nothing into a paused envelope', () => {
    expect(calculateLines([envelope({ isPaused: true })], pay, timezone)).toEqual([])
  })

  test('the target, when the schedule fires for the last time', () => {
    const once = { ...pay, ruleset: 'DTSTART:20231013T050000Z\nRRULE:FREQ=MONTHLY;COUNT=1' }
    const lines = calculateLines([envelope({ nextContributionAmount: 1000n })], once, timezone)
    expect(lines).toEqual([{ spendingId: 'spnd_1', amount: 1000n, ceiling: 1000n }])
  })

  test('the contribution as of its own date, if a later one is stored', () => {
    // The contribution was calculated at noon, after the firing of 13 October: the one payday left
    // has to bring the whole target.
    const later = { calculatedAt: new Date('2023-10-13T17:00Z'), nextContributionAmount: 1000n }
    const lines = calculateLines([envelope(later)], pay, timezone)
    expect(lines).toEqual([{ spendingId: 'spnd_1', amount: 500n, ceiling: 1000n }])
  })
})

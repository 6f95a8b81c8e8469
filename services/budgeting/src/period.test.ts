import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { closePeriod, rollDue } from './period.ts'

describe('closing a period (spec/decisions.md, Due date of an expense)', () => {
  const plain = { autoCreateTransaction: false, carriesOver: false }
  test.each([
    [
      'untouched: all goes back',
      { currentAmount: 1000n, targetAmount: 1000n, spent: 0n },
      0n,
      1000n,
      0n,
    ],
    [
      'partly spent: the rest goes back',
      { currentAmount: 400n, targetAmount: 1000n, spent: 600n },
      0n,
      400n,
      0n,
    ],
    [
      'partly saved: what there is goes back',
      { currentAmount: 300n, targetAmount: 1000n, spent: 0n },
      0n,
      300n,
      0n,
    ],
    [
      'spent: nothing goes back',
      { currentAmount: 0n, targetAmount: 1000n, spent: 1000n },
      0n,
      0n,
      0n,
    ],
    [
      'several periods: one target goes back',
      { currentAmount: 4500n, targetAmount: 1500n, spent: 0n },
      0n,
      1500n,
      3000n,
    ],
    [
      'several periods, one partly spent',
      { currentAmount: 4000n, targetAmount: 1500n, spent: 500n },
      0n,
      1000n,
      3000n,
    ],
    [
      'more spent than the target',
      { currentAmount: 900n, targetAmount: 1500n, spent: 2100n },
      0n,
      0n,
      900n,
    ],
  ])('%s', (_, amounts, taken, returned, currentAmount) => {
    expect(closePeriod(amounts, plain)).toEqual({ taken, returned, currentAmount })
  })

  test('the automatic transaction takes its target before anything goes back', () => {
    const automatic = { autoCreateTransaction: true, carriesOver: false }
    const close = (currentAmount: bigint, spent: bigint) =>
      closePeriod({ currentAmount, targetAmount: 1000n, spent }, automatic)
    expect(close(1000n, 0n)).toEqual({ taken: 1000n, returned: 0n, currentAmount: 0n })
    expect(close(500n, 0n)).toEqual({ taken: 500n, returned: 0n, currentAmount: 0n })
    expect(close(3000n, 200n)).toEqual({ taken: 1000n, returned: 0n, currentAmount: 2000n })
  })

  test('with carry-over nothing goes back', () => {
    const amounts = { currentAmount: 700n, targetAmount: 1000n, spent: 0n }
    const carriesOver = { autoCreateTransaction: false, carriesOver: true }
    expect(closePeriod(amounts, carriesOver)).toEqual({
      taken: 0n,
      returned: 0n,
      currentAmount: 700n,
    })
  })

  test('no cent is lost, and an envelope is never overdrawn', () => {
    const money = fc.bigInt({ min: 0n, max: 10_000n })
    const amounts = fc.record({ currentAmount: money, targetAmount: money, spent: money })
    const settings = fc.record({ autoCreateTransaction: fc.boolean(), carriesOver: fc.boolean() })
    fc.assert(
      fc.property(amounts, settings, (before, setting) => {
        const closed = closePeriod(before, setting)
        expect(closed.taken + closed.returned + closed.currentAmount).toBe(before.currentAmount)
        expect(
          [closed.taken, closed.returned, closed.currentAmount].every((each) => each >= 0n),
        ).toBe(true)
      }),
    )
  })
})

describe('the dates after a due date', () => {
  test('an expense is due again, at midnight of the account', () => {
    const monthly = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY'
    const due = { ruleset: monthly, nextRecurrence: new Date('2023-11-01T05:00Z') }
    expect(rollDue(due, 'America/Chicago')).toEqual({
      lastRecurrence: new Date('2023-11-01T05:00Z'),
      nextRecurrence: new Date('2023-12-01T06:00Z'),
    })
    const atNoon = { ...due, ruleset: 'DTSTART:20220101T180000Z\nRRULE:FREQ=MONTHLY' }
    expect(rollDue(atNoon, 'America/Chicago').nextRecurrence).toEqual(new Date('2023-12-01T06:00Z'))
  })

  test('a goal, and an expense whose rule has ended, keep their date as both', () => {
    const nextRecurrence = new Date('2023-11-01T00:00Z')
    const over = { lastRecurrence: nextRecurrence, nextRecurrence }
    const ended = 'DTSTART:20231101T000000Z\nRRULE:FREQ=MONTHLY;COUNT=1'
    expect(rollDue({ ruleset: null, nextRecurrence }, 'UTC')).toEqual(over)
    expect(rollDue({ ruleset: ended, nextRecurrence }, 'UTC')).toEqual(over)
  })
})

import { amountMax } from '@coffer/kit/values/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chicago, fridays, monthly, rent as sample, twiceMonthly } from '../../test/samples.ts'
import { type FundedSpending, fundingOf } from '../book/spending.ts'
import { recalculate } from './contribution.ts'
import { explain } from './explanation.ts'
import { renderSentences } from './explanation-text.ts'

const timezone = chicago
const daily = 'DTSTART:20230101T060000Z\nRRULE:FREQ=DAILY'
const now = sample.calculatedAt
const nextRecurrence = new Date('2024-03-01T06:00Z')
const lastRecurrence = new Date('2024-02-01T06:00Z')
const due = { lastRecurrence, nextRecurrence }
const rent = { ...sample, ...due, targetAmount: 12_500n, currentAmount: 157n }
const goal: FundedSpending = { ...rent, spendingType: 'goal', ruleset: null }

function render(plan: FundedSpending, style = { currency: 'USD', locale: 'en_US' }): string[] {
  return renderSentences(plan, explain(plan, { timezone, now }), { ...style, timezone })
}

describe('an explanation leads to the contribution', () => {
  test('of a share', () => {
    expect(render(rent)).toEqual([
      '$125.00 is the target, due on Mar 1, 2024; $1.57 is put aside so far.',
      '$125.00 − $1.57 = $123.43 is missing.',
      '10 fundings share it: $123.43 ÷ 10 = $12.34 on Oct 13, 2023.',
      'The remaining $0.03 of the division comes with a later funding.',
    ])
  })

  test('of a goal that is spent in part, in the language of its amounts', () => {
    const paid = { ...goal, targetAmount: 900n, currentAmount: 0n, usedAmount: 300n }
    const style = { currency: 'JPY', locale: 'de_DE.UTF-8' }
    expect(render(paid, style).map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
      '900 ¥ ist das Ziel, fällig am 01.03.2024; 300 ¥ sind bisher zurückgelegt' +
        ' (davon 300 ¥ schon ausgegeben).',
      '900 ¥ − 300 ¥ = 600 ¥ fehlen.',
      '10 Zuführungen teilen es auf: 600 ¥ ÷ 10 = 60 ¥ am 13.10.2023.',
    ])
    const french = render(paid, { currency: 'EUR', locale: 'fr_FR' })
    expect(french[1]).toBe('€9.00 − €3.00 = €6.00 is missing.')
  })

  test('of a paused expense that is due more often than funded', () => {
    const food = { ...rent, ruleset: fridays, targetAmount: 700n, isPaused: true }
    const due = { fundingNextRecurrence: new Date('2023-10-15T05:00Z') }
    const nextRecurrence = new Date('2023-10-13T05:00Z')
    expect(render({ ...food, ...due, nextRecurrence })).toEqual([
      '$7.00 is the target, due on Oct 13, 2023; $1.57 is put aside so far.',
      'The funding on Oct 15, 2023 covers what falls due from then on, before the one after' +
        ' it on Oct 31, 2023: 2 × $7.00 = $14.00.',
      'Of what is put aside $0.00 is left by then, after 1 due before it, so it adds $14.00.',
      'It is behind: more than $1.57 falls due before the next funding on Oct 15, 2023.',
      'It is paused: nothing is put aside until it is resumed.',
    ])
    const german = { currency: 'EUR', locale: 'de_DE' }
    const texts = render({ ...food, ...due, nextRecurrence }, german)
    expect(texts.map((text) => text.replaceAll('\u00a0', ' ')).slice(1)).toEqual([
      'Die Zuführung am 15.10.2023 deckt, was ab dann fällig wird, vor der nächsten am' +
        ' 31.10.2023: 2 × 7,00 € = 14,00 €.',
      'Vom Zurückgelegten sind dann 0,00 € übrig, nach 1 Fälligkeit davor:' +
        ' Sie legt 14,00 € zurück.',
      'Es fehlt Geld: Mehr als 1,57 € wird fällig, bevor am 15.10.2023 die nächste Zuführung' +
        ' folgt.',
      'Pausiert: Bis zur Fortsetzung wird nichts zurückgelegt.',
    ])
  })

  test('of due dates that are left out, all of which are counted', () => {
    const lastRecurrence = new Date('2023-10-09T05:00Z')
    const nextRecurrence = new Date('2024-10-09T05:00Z')
    const often = { ...rent, ruleset: daily, lastRecurrence, nextRecurrence }
    expect(explain(often, { timezone, now }).skippedDates).toHaveLength(100)
    expect(render(often)).toContainEqual(expect.stringContaining('365'))
  })

  test('of a need beyond the largest amount', () => {
    const empty = { ...rent, ruleset: fridays, targetAmount: amountMax, currentAmount: 0n }
    const often = { ...empty, nextRecurrence: new Date('2023-10-13T05:00Z') }
    expect(render(often).slice(1, 3)).toEqual([
      expect.stringContaining('3 × $90,071,992,547,409.91 = $270,215,977,642,229.73'),
      expect.stringMatching(/adds \$90,071,992,547,409\.91, the most that an amount may be\.$/),
    ])
  })

  test('without a need, and without a further funding', () => {
    expect(render({ ...rent, currentAmount: 12_500n }).at(-1)).toBe(
      'The target is reached, so the next funding adds nothing.',
    )
    const ended = { ...rent, fundingRuleset: `${twiceMonthly};COUNT=1` }
    const past = { ...ended, fundingNextRecurrence: new Date('2021-12-31T06:00Z') }
    expect(render(past).slice(1)).toEqual([
      'No funding or no due date follows: nothing more is put aside.',
      'It is behind: more than $1.57 falls due and no funding follows.',
    ])
  })
})

test('an explanation has the figures of the contribution and the counted dates', () => {
  const plans = fc.record({
    ruleset: fc.constantFrom(monthly, fridays, daily, null),
    fundingRuleset: fc.constantFrom(twiceMonthly, fridays, daily, monthly),
    fundingExcludesWeekends: fc.boolean(),
    targetAmount: fc.bigInt({ min: 1n, max: 100_000n }),
    currentAmount: fc.bigInt({ min: 0n, max: 100_000n }),
    nextRecurrence: fc.constantFrom(rent.nextRecurrence, new Date('2023-11-01T05:00Z')),
  })
  fc.assert(
    fc.property(plans, (changes) => {
      const plan: FundedSpending = { ...rent, ...changes }
      const contribution = recalculate(plan, fundingOf(plan), { timezone, now })
      const found = explain(plan, { timezone, now })
      expect(found).toMatchObject(contribution)
      const dues = contribution.duesBeforeFunding + contribution.duesAfterFunding
      expect(found.dueDates).toHaveLength(Math.min(100, dues))
      const fundings = Math.min(100, Number(contribution.divisor))
      if (found.fundingDates.length > 0) expect(found.fundingDates).toHaveLength(fundings)
      const { nextContributionAmount } = contribution
      const amount = `$${(Number(nextContributionAmount) / 100).toLocaleString('en-US', {
        minimumFractionDigits: 2,
      })}`
      if (nextContributionAmount > 0n) expect(render(plan).join(' ')).toContain(amount)
    }),
  )
})

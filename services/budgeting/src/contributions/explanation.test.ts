import { amountMax } from '@coffer/kit/values/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chicago, fridays, monthly, rent as sample, twiceMonthly } from '../../test/samples.ts'
import { type FundedSpending, fundingOf } from '../book/spending.ts'
import { recalculate } from './contribution.ts'
import { explain } from './explanation.ts'
import { renderSentences, type Style } from './explanation-text.ts'

const timezone = chicago
const daily = 'DTSTART:20230101T060000Z\nRRULE:FREQ=DAILY'
const now = sample.calculatedAt
const nextRecurrence = new Date('2024-03-01T06:00Z')
const lastRecurrence = new Date('2024-02-01T06:00Z')
const due = { lastRecurrence, nextRecurrence }
const rent = { ...sample, ...due, targetAmount: 12_500n, currentAmount: 157n }
const goal: FundedSpending = { ...rent, spendingType: 'goal', ruleset: null }

const us = { currency: 'USD', locale: 'en_US' }

function render(plan: FundedSpending, style: Partial<Style> = {}): string[] {
  const whole = { ...us, timezone, payer: 'free' as const, ...style }
  const texts = renderSentences(plan, explain(plan, { timezone, now }), whole)
  return texts.map((text) => text.replaceAll(/[\u00a0\u202f]/g, ' '))
}

describe('an explanation leads to the contribution', () => {
  test('of a share', () => {
    expect(render(rent)).toEqual([
      'It needs $125.00 by Mar 1, 2024, and $1.57 is there so far.',
      '$123.43 is still missing: $125.00 − $1.57.',
      '10 paydays share this: the next one, on Oct 13, 2023, adds $12.34 ($123.43 ÷ 10).',
      'A later payday adds the $0.03 that the division leaves over.',
    ])
  })

  test('of a goal that is spent in part, in the language of its amounts', () => {
    const paid = { ...goal, targetAmount: 900n, currentAmount: 0n, usedAmount: 300n }
    const style = { currency: 'JPY', locale: 'de_DE.UTF-8' }
    expect(render(paid, style)).toEqual([
      'Gebraucht werden 900 ¥ bis zum 1. März 2024, 0 ¥ sind da, 300 ¥ sind schon ausgegeben.',
      'Es fehlen noch 600 ¥: 900 ¥ − 300 ¥ − 0 ¥.',
      '10 Zahltage teilen sich das: Der nächste am 13. Okt. 2023 legt 60 ¥ dazu (600 ¥ ÷ 10).',
    ])
  })

  test.each([
    ['fr_FR', 'EUR', '6,00 € is still missing: 9,00 € − 3,00 €.'],
    ['ja_JP', 'JPY', '￥600 is still missing: ￥900 − ￥300.'],
    ['hi_IN', 'INR', '₹6.00 is still missing: ₹9.00 − ₹3.00.'],
    ['ar_EG', 'EGP', /^\u2068[^\u2069]*٦٫٠٠[^\u2069]*\u2069 is still missing: \u2068.*\u2069 − /],
    ['xx_YY', 'EUR', '€6.00 is still missing: €9.00 − €3.00.'],
    ['no locale', 'EUR', '€6.00 is still missing: €9.00 − €3.00.'],
  ])(
    'in English with the amounts of %s, for want of words or by choice',
    (locale, currency, text) => {
      const paid = { ...goal, targetAmount: 900n, currentAmount: 300n }
      const [, missing = ''] = render(paid, { currency, locale })
      if (typeof text === 'string') expect(missing).toBe(text)
      else expect(missing).toMatch(text)
      const chosen = render(paid, { currency: 'EUR', locale: 'de_DE', language: 'en' })
      expect(chosen[1]).toBe('6,00 € is still missing: 9,00 € − 3,00 €.')
    },
  )

  test.each([
    ['en_US', 'de', /\b1\. März 2024/],
    ['de_DE', 'en', /\b1 Mar 2024/],
    ['fr_FR', undefined, /\b1 Mar 2024/],
    ['ja_JP', 'en', /\bMar 1, 2024/],
  ])('with the days of %s in the language %s of the sentences', (locale, language, day) => {
    expect(render(rent, { currency: 'USD', locale, language })[0]).toMatch(day)
  })

  test('of a bill that is due before the payday', () => {
    const nextRecurrence = new Date('2023-10-12T05:00Z')
    expect(render({ ...rent, nextRecurrence })).toEqual([
      'It needs $125.00 by Oct 12, 2023, and $1.57 is there so far.',
      '$123.43 is still missing: $125.00 − $1.57.',
      'No payday comes before Oct 12, 2023: free to use pays what is missing then.',
      'The payday on Oct 13, 2023 adds $62.50 for the due date after it.',
      'It is behind by $123.43: $125.00 falls due before the payday on Oct 13, 2023, and $1.57' +
        ' is there.',
    ])
  })

  test.each([
    ['credit', 'unused credit pays what is missing then.', 'kommt aus dem nicht genutzten Kredit.'],
    ['debt', 'what is missing then is owed.', 'Was dann fehlt, wird geschuldet.'],
  ] as const)('of a bill that %s pays', (payer, text, german) => {
    const late = { ...rent, nextRecurrence: new Date('2023-10-12T05:00Z') }
    expect(render(late, { payer })[2]).toBe(`No payday comes before Oct 12, 2023: ${text}`)
    expect(render(late, { payer, locale: 'de_DE' })[2]).toContain(german)
  })

  test('of a bill after the payday, of which a part is spent that is filled again', () => {
    const spent = { ...rent, periodSpentAmount: 30_00n }
    expect(render(spent)[1]).toBe(
      '$30.00 is already spent from it in this period, and paydays fill that up again.',
    )
    expect(render(spent, { locale: 'de_DE' })[1]).toMatch(/^30,00 \$ .* füllen das wieder auf\.$/)
    expect(render({ ...spent, currentAmount: 12_500n })).toHaveLength(2)
  })

  const due = 'No payday comes before Oct 12, 2023'
  const behind = 'It is behind by $45.00: $95.00 falls due before the payday on'
  const pays = (amount: string) => `The payday on Oct 13, 2023 adds ${amount} for the due date`

  test.each([
    [30_00n, 'only $95.00', ['$45.00 is still missing: $125.00 − $30.00 − $50.00.'], '62.50'],
    [100_00n, 'only $25.00', [], '50.00'],
    [125_00n, 'nothing more', [], '37.50'],
  ])('of a bill of which %s is spent', (periodSpentAmount, left, missing, amount) => {
    const nextRecurrence = new Date('2023-10-12T05:00Z')
    const spent = { ...rent, nextRecurrence, currentAmount: 50_00n, periodSpentAmount }
    const sum = `$${periodSpentAmount / 100n}.00`
    expect(render(spent)).toEqual([
      'It needs $125.00 by Oct 12, 2023, and $50.00 is there so far.',
      `${sum} is already spent from it in this period, so Oct 12, 2023 takes ${left}.`,
      ...missing,
      `${due}: ${missing[0] ? 'free to use pays what is missing then' : 'enough is there for it'}.`,
      `${pays(`$${amount}`)} after it.`,
      ...(missing[0] ? [`${behind} Oct 13, 2023, and $50.00 is there.`] : []),
    ])
    const german = render(spent, { currency: 'EUR', locale: 'de_DE' })
    expect(german[1]).toContain('schon daraus bezahlt, also kostet der 12. Okt. 2023 n')
    const last = missing[0] ? 'Es fehlen 45,00' : 'Zahltag am 13. Okt. 2023'
    expect(german.at(-1)).toContain(last)
    const often = { ...spent, ruleset: fridays, nextRecurrence: new Date('2023-10-12T05:00Z') }
    expect(render({ ...often, currentAmount: 200_00n })[3]).toMatch(
      /^The bill of Oct 12, 2023 is paid before that payday, so \$\d+\.00 is left then: /,
    )
  })

  test.each([
    [0n, 50_00n, '$50.00 is left until', 'adds $62.50.', '50,00 € sind noch da bis zum'],
    [30_00n, 0n, 'It is used up until', 'adds $62.50.', 'Aufgebraucht bis zum'],
    [125_00n, 0n, 'It is used up until', 'adds $62.50.', 'Aufgebraucht bis zum'],
  ])('of groceries of which %s is spent: no word of a bill', (...row) => {
    const [periodSpentAmount, currentAmount, left, adds, german] = row
    const nextRecurrence = new Date('2023-10-12T05:00Z')
    const graceUntil = new Date('2023-10-11T05:00Z')
    const grace = { graceUntil, graceAmount: currentAmount }
    const food = { ...rent, nextRecurrence, periodSpentAmount, currentAmount, ...grace }
    const said = render(food, { keepsUnspent: true }).join(' ')
    expect(said).toContain(`${left} the payday on Oct 13, 2023.`)
    expect(said).toContain(adds)
    expect(said).not.toMatch(/behind|late|bill|paid|due|missing/)
    const style = { currency: 'EUR', locale: 'de_DE', keepsUnspent: true }
    const inGerman = render(food, style).join(' ')
    expect(inGerman).toContain(`${german} Zahltag am 13. Okt. 2023.`)
    expect(inGerman).not.toMatch(/Rückstand|fällig|Rechnung|fehl/i)
  })

  test.each([
    ['2023-10-09', 'en', 'is there for it so far.', 'Oct 13, 2023, for the bill of Oct 9, 2023.'],
    ['2023-10-08', 'de', 'sind dafür bisher da.', 'für die Rechnung vom 8. Okt. 2023.'],
  ])('of an unpaid bill of %s on 9 October, in %s', (day, language, held, grace) => {
    const lastRecurrence = new Date(`${day}T05:00Z`)
    const waiting = { graceUntil: new Date('2023-10-14T05:00Z'), graceAmount: 157n }
    const said = render({ ...rent, ...waiting, lastRecurrence }, { language }).join(' ')
    expect(said).toContain(held)
    expect(said).toContain(grace)
  })

  test.each([
    ['en', 'Nothing is in it until the payday on Oct 13, 2023.'],
    ['de', 'Noch leer bis zum Zahltag am 13. Okt. 2023.'],
  ])('of groceries that were never filled, in %s', (language, text) => {
    const food = { ...rent, lastRecurrence: null, currentAmount: 0n }
    expect(render(food, { keepsUnspent: true, language }).at(-1)).toBe(text)
  })

  test('of groceries that are spent before the payday, and may be left now', () => {
    const nextRecurrence = new Date('2023-10-13T05:00Z')
    const funded = { fundingNextRecurrence: new Date('2023-10-15T05:00Z'), ruleset: fridays }
    const food = { ...rent, ...funded, nextRecurrence, targetAmount: 700n, currentAmount: 700n }
    const said = (held: bigint, style: Partial<Style> = {}) =>
      render({ ...food, currentAmount: held }, { keepsUnspent: true, ...style }).slice(2)
    expect(said(700n)).toEqual([
      'Once it is spent as planned, the payday adds $14.00.',
      '$7.00 is left until the payday on Oct 15, 2023.',
    ])
    expect(said(900n)[0]).toBe(
      'Once it is spent as planned, $2.00 is left, and the payday adds $12.00.',
    )
    const german = { currency: 'EUR', locale: 'de_DE' }
    expect(said(700n, german)[0]).toBe(
      'Ist bis dahin wie geplant ausgegeben, legt der Zahltag 14,00 € dazu.',
    )
    expect(said(900n, german)[0]).toBe(
      'Ist bis dahin wie geplant ausgegeben, sind noch 2,00 € da. Dann legt der Zahltag 12,00 €' +
        ' dazu.',
    )
  })

  test('of a paused expense that is due more often than funded', () => {
    const food = { ...rent, ruleset: fridays, targetAmount: 700n, isPaused: true }
    const due = { fundingNextRecurrence: new Date('2023-10-15T05:00Z') }
    const nextRecurrence = new Date('2023-10-13T05:00Z')
    expect(render({ ...food, ...due, nextRecurrence })).toEqual([
      'It needs $7.00 by Oct 13, 2023, and $1.57 is there so far.',
      'The payday on Oct 15, 2023 has to last until the next one on Oct 31, 2023. Until then' +
        ' that is needed 2 times: 2 × $7.00 = $14.00.',
      'The bill of Oct 13, 2023 is paid before that payday, so nothing is left then: the payday' +
        ' adds $14.00.',
      'It is behind by $5.43: $7.00 falls due before the payday on Oct 15, 2023, and $1.57' +
        ' is there.',
      'It is paused: no payday adds anything until it is resumed.',
    ])
    const german = { currency: 'EUR', locale: 'de_DE' }
    expect(render({ ...food, ...due, nextRecurrence }, german).slice(1)).toEqual([
      'Der Zahltag am 15. Okt. 2023 muss bis zum nächsten am 31. Okt. 2023 reichen. Bis dahin' +
        ' wird das 2-mal gebraucht: 2 × 7,00 € = 14,00 €.',
      'Die Rechnung vom 13. Okt. 2023 ist vor diesem Zahltag bezahlt. Dann ist nichts mehr da,' +
        ' also legt der Zahltag 14,00 € dazu.',
      'Es fehlen 5,43 €: 7,00 € werden fällig, bevor am 15. Okt. 2023 der Zahltag kommt, und' +
        ' 1,57 € sind da.',
      'Pausiert: Bis zur Fortsetzung legt kein Zahltag etwas dazu.',
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
    const most = { targetAmount: amountMax, nextContributionAmount: amountMax }
    const empty = { ...rent, ...most, ruleset: fridays, currentAmount: 0n }
    const often = { ...empty, nextRecurrence: new Date('2023-10-13T05:00Z') }
    expect(render(often).slice(1, 3)).toEqual([
      expect.stringContaining('3 × $90,071,992,547,409.91 = $270,215,977,642,229.73'),
      expect.stringMatching(/adds \$90,071,992,547,409\.91, the most that an amount may be\.$/),
    ])
  })

  test('without a need, and without a further funding', () => {
    expect(render({ ...rent, currentAmount: 12_500n }).at(-1)).toBe(
      'That is enough: the next payday adds nothing.',
    )
    const ended = { ...rent, fundingRuleset: `${twiceMonthly};COUNT=1` }
    const past = { ...ended, fundingNextRecurrence: new Date('2021-12-31T06:00Z') }
    expect(render(past).slice(1)).toEqual([
      'No payday or no due date follows, so nothing more is added.',
      'It is behind by $123.43: $125.00 falls due and no payday follows, and $1.57 is there.',
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

import { decimalPlaces } from '@coffer/kit/values/currency'
import { amountMax } from '@coffer/kit/values/money'
import type { Spending } from '../book/spending.ts'
import type { Explanation } from './explanation.ts'
import { english, german, type Words } from './explanation-words.ts'

/** Format of amounts and days: currency (ISO 4217), locale (such as en_US), IANA timezone. */
export type Style = { currency: string; locale: string; timezone: string }

type Texts = { words: Words; money: (amount: bigint) => string; day: (date: Date) => string }

/**
 * Renders an explanation as sentences in the language of the locale, English if there are none in
 * that language (docs/plans.md#the-explanation).
 */
export function renderSentences(plan: Spending, explanation: Explanation, style: Style): string[] {
  const texts = createTexts(style)
  const { words } = texts
  const { method, isBehind } = explanation
  return [
    ...skipped(explanation, texts),
    ...settled(explanation, texts),
    start(plan, explanation, texts),
    ...graced(explanation, texts),
    ...(method === 'split' ? split(plan, explanation, texts) : []),
    ...(method === 'targets' ? targets(plan, explanation, texts) : []),
    ...(method === 'none' ? [words.none] : []),
    ...(isBehind ? [behind(explanation, texts)] : []),
    ...(plan.isPaused ? [words.paused] : []),
  ]
}

function skipped(
  { skippedDates, skippedCount: count }: Explanation,
  { words, day }: Texts,
): string[] {
  const [first] = skippedDates
  return first ? [words.skipped({ first: day(first), count })] : []
}

function settled({ paidOn, due }: Explanation, { words, day }: Texts): string[] {
  return paidOn ? [words.settled({ paid: day(paidOn), due: due && day(due) })] : []
}

function graced({ graceUntil, graceAmount }: Explanation, { words, money, day }: Texts): string[] {
  return graceUntil && graceAmount > 0n ? [words.grace(money(graceAmount), day(graceUntil))] : []
}

function start(plan: Spending, { due, progress }: Explanation, { words, money, day }: Texts) {
  const isSpent = plan.ruleset === null && plan.usedAmount > 0n
  return words.target({
    target: money(plan.targetAmount),
    due: due && day(due),
    progress: money(progress),
    used: isSpent ? money(plan.usedAmount) : null,
  })
}

function split(
  plan: Spending,
  { need, divisor, remainder, nextContributionAmount, progress, ...dates }: Explanation,
  { words, money, day }: Texts,
): string[] {
  if (need === 0n) return [words.reached]
  const sum = `${money(plan.targetAmount)} − ${money(progress)} = ${money(need)}`
  const funding = dates.funding ? day(dates.funding) : ''
  if (divisor === 1n) return [words.missing(sum), words.all(funding)]
  const share = `${money(need)} ÷ ${divisor} = ${money(nextContributionAmount)}`
  return [
    words.missing(sum),
    words.share({ count: divisor, sum: share, funding }),
    ...(remainder > 0n ? [words.rest(money(remainder))] : []),
  ]
}

function targets(
  { targetAmount }: Spending,
  { need, duesBeforeFunding: dues, duesAfterFunding, progress, ...dates }: Explanation,
  { words, money, day }: Texts,
): string[] {
  const due = money(targetAmount * BigInt(duesAfterFunding))
  return [
    words.covers({
      funding: dates.funding ? day(dates.funding) : '',
      after: dates.fundingAfter && day(dates.fundingAfter),
      sum: `${duesAfterFunding} × ${money(targetAmount)} = ${due}`,
    }),
    words.adds({
      left: money(max0(progress - targetAmount * BigInt(dues))),
      dues,
      need: money(need),
      isMost: need === amountMax,
    }),
  ]
}

function behind({ funding, progress }: Explanation, { words, money, day }: Texts): string {
  return words.behind({ progress: money(progress), funding: funding && day(funding) })
}

function max0(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

function createTexts({ currency, locale, timezone }: Style): Texts {
  const places = decimalPlaces(currency)
  const { tag, words } = languageOf(locale)
  const amounts = new Intl.NumberFormat(tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  const days = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: timezone })
  return {
    words,
    money: (amount) => amounts.format(decimal(amount, places)),
    day: (date) => days.format(date),
  }
}

const wordsOf = new Map([
  ['en', english],
  ['de', german],
])

/**
 * Returns the words of a POSIX locale and its BCP 47 tag (`de_DE.UTF-8` to `de-DE`). Without words
 * in its language both are English, so that amounts are in the language of the sentences.
 */
function languageOf(locale: string): { tag: string; words: Words } {
  const [name = ''] = locale.split('.')
  const tag = name.replaceAll('_', '-')
  const words = wordsOf.get(tag.toLowerCase().split('-')[0] ?? '')
  try {
    const [known] = Intl.NumberFormat.supportedLocalesOf(tag)
    return known && words ? { tag: known, words } : { tag: 'en', words: english }
  } catch {
    return { tag: 'en', words: english }
  }
}

/** Returns minor units as text such as `1234e-2`, which Intl.NumberFormat does not round. */
function decimal(amount: bigint, places: number): `${number}` {
  return `${amount}e-${places}` as `${number}`
}

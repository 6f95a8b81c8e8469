import { decimalPlaces } from '@coffer/kit/values/currency'
import { amountMax, lesser, unspentOf } from '@coffer/kit/values/money'
import type { Spending } from '../book/spending.ts'
import type { Explanation } from './explanation.ts'
import { english, german, type Payer, type Words } from './explanation-words.ts'

/**
 * Format of amounts and days: currency (ISO 4217), locale (such as en_US), IANA timezone. Without
 * `language` the sentences are in the language of the locale. `payer` pays the part of a bill that
 * the envelope lacks. An expense that `keepsUnspent` has no bill: it may be spent on any day.
 */
export type Style = {
  currency: string
  locale: string
  timezone: string
  language?: string | undefined
  payer: Payer
  keepsUnspent?: boolean
}

type Texts = {
  words: Words
  payer: Payer
  hasBill: boolean
  money: (amount: bigint) => string
  day: (date: Date) => string
}

/**
 * Renders an explanation as sentences in the language of the style, English if there are none in
 * that language (docs/plans.md#the-explanation). Amounts are written as in the locale, days in its
 * region's order.
 */
export function renderSentences(plan: Spending, explanation: Explanation, style: Style): string[] {
  const hasBill = plan.spendingType !== 'expense' || !style.keepsUnspent
  const texts = { ...createTexts(style), hasBill }
  const { words } = texts
  const { method, isBehind, progress } = explanation
  const isShort = isBehind && dueBefore(plan, explanation) > progress
  return [
    ...skipped(explanation, texts),
    ...settled(explanation, texts),
    start(plan, explanation, texts),
    ...spent(plan, explanation, texts),
    ...(texts.hasBill ? graced(plan, explanation, texts) : []),
    ...(method === 'split' ? split(plan, explanation, texts) : []),
    ...(method === 'targets' ? targets(plan, explanation, texts) : []),
    ...(method === 'none' ? [words.none] : []),
    ...(texts.hasBill ? [] : [lasts(plan, explanation, texts)]),
    ...(isShort && texts.hasBill ? [behind(plan, explanation, texts)] : []),
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

function settled({ paidOn, due }: Explanation, { words, day, hasBill }: Texts): string[] {
  return paidOn ? [words.settled({ paid: day(paidOn), due: due && day(due), hasBill })] : []
}

function graced(
  { lastRecurrence }: Spending,
  { graceUntil, graceAmount }: Explanation,
  { words, money, day }: Texts,
): string[] {
  if (graceUntil === null || graceAmount === 0n) return []
  // `graceUntil` is the midnight after the grace: the sentence names the last day before it.
  const until = day(new Date(graceUntil.getTime() - 1))
  const bill = lastRecurrence && day(lastRecurrence)
  return [words.grace({ amount: money(graceAmount), until, bill })]
}

function start(plan: Spending, { due, progress }: Explanation, texts: Texts) {
  const { words, money, day, hasBill } = texts
  const used = usedOf(plan)
  return words.target({
    target: money(plan.targetAmount),
    due: due && day(due),
    held: money(hasBill ? progress - used : plan.currentAmount),
    used: used > 0n ? money(used) : null,
    hasGrace: hasBill && plan.graceAmount > 0n,
  })
}

/** Returns the part of a goal's progress that is already spent. */
function usedOf({ ruleset, usedAmount }: Spending): bigint {
  return ruleset === null ? usedAmount : 0n
}

function spent(
  plan: Spending,
  explanation: Explanation,
  { words, money, day, hasBill }: Texts,
): string[] {
  const { targetAmount, periodSpentAmount } = plan
  const { spentAmount, due, settledAt, nextContributionAmount } = explanation
  if (due === null) return []
  if (spentAmount === 0n || !hasBill) {
    // If money was spent although `spentAmount` is 0, no bill is due before the payday, so the
    // contribution saves the whole target again.
    const isRefilled = plan.ruleset !== null && settledAt === null && nextContributionAmount > 0n
    return isRefilled && periodSpentAmount > 0n ? [words.refilled(money(periodSpentAmount))] : []
  }
  const rest = unspentOf(targetAmount, spentAmount)
  const left = rest === 0n ? null : money(rest)
  return [words.spent({ spent: money(spentAmount), due: day(due), left })]
}

function split(plan: Spending, explanation: Explanation, texts: Texts): string[] {
  const { need, divisor, remainder, nextContributionAmount, progress, ...dates } = explanation
  const { words, money, day } = texts
  if (dates.due && dates.funding && dates.due < dates.funding) {
    return late(plan, explanation, texts)
  }
  if (need === 0n) return [words.reached]
  const used = usedOf(plan)
  const terms = [plan.targetAmount, ...(used > 0n ? [used] : []), progress - used]
  const missing = words.missing({ need: money(need), sum: terms.map(money).join(' − ') })
  const funding = dates.funding ? day(dates.funding) : ''
  if (divisor === 1n) return [missing, words.all(funding)]
  const amount = money(nextContributionAmount)
  return [
    missing,
    words.share({ count: divisor, amount, sum: `${money(need)} ÷ ${divisor}`, funding }),
    ...(remainder > 0n ? [words.rest(money(remainder))] : []),
  ]
}

/** Sentences about a bill that is due before the payday: `payer` pays what the envelope lacks. */
function late(
  { targetAmount }: Spending,
  { progress, spentAmount, heldContribution, nextContributionAmount, ...dates }: Explanation,
  { words, money, day, payer, hasBill }: Texts,
): string[] {
  const missing = max0(unspentOf(targetAmount, spentAmount) - progress)
  const terms = [targetAmount, ...(spentAmount > 0n ? [spentAmount] : []), progress]
  const sum = terms.map(money).join(' − ')
  const due = dates.due ? day(dates.due) : ''
  const funding = dates.funding ? day(dates.funding) : ''
  const added = heldContribution ?? nextContributionAmount
  const amount = added === 0n ? null : money(added)
  if (!hasBill) return [words.fills({ funding, amount })]
  return [
    ...(missing > 0n ? [words.missing({ need: money(missing), sum })] : []),
    words.late({ due, payer: missing > 0n ? payer : null }),
    words.after({ funding, amount }),
  ]
}

function targets(plan: Spending, explanation: Explanation, texts: Texts): string[] {
  const { words, money, day, hasBill } = texts
  const { targetAmount } = plan
  const { duesAfterFunding, progress, heldContribution, ...dates } = explanation
  const dues = duesBefore(explanation)
  const left = max0(progress - dueBefore(plan, explanation))
  const need = heldContribution ?? explanation.need
  const sum = money(targetAmount * BigInt(duesAfterFunding))
  const count = duesAfterFunding
  return [
    words.covers({
      funding: dates.funding ? day(dates.funding) : '',
      after: dates.fundingAfter && day(dates.fundingAfter),
      count,
      due: count === 1 ? sum : `${count} × ${money(targetAmount)} = ${sum}`,
    }),
    words.adds({
      left: left === 0n ? null : money(left),
      dues,
      due: dates.due ? day(dates.due) : '',
      hasBill,
      need: need === 0n ? null : money(need),
      isMost: need === amountMax,
    }),
  ]
}

/** Returns the amount due before the next funding, without the part that is already spent. */
function dueBefore({ targetAmount }: Spending, explanation: Explanation): bigint {
  const bills = targetAmount * BigInt(duesBefore(explanation))
  return unspentOf(bills, lesser(explanation.spentAmount, targetAmount))
}

function duesBefore({ due, funding, duesBeforeFunding }: Explanation): number {
  // `duesBeforeFunding` counts occurrences of the rule only; a due date may be none of them.
  const isLate = due !== null && (funding === null || due < funding)
  return Math.max(duesBeforeFunding, isLate ? 1 : 0)
}

function behind(plan: Spending, explanation: Explanation, { words, money, day }: Texts): string {
  const { funding, progress } = explanation
  const due = dueBefore(plan, explanation)
  const used = usedOf(plan)
  return words.behind({
    missing: money(due - progress),
    due: money(due - used),
    held: money(progress - used),
    funding: funding && day(funding),
  })
}

/** Tells how much an expense without a bill holds, including money of former periods. */
function lasts(plan: Spending, { funding }: Explanation, texts: Texts): string {
  const { words, money, day } = texts
  const { currentAmount, periodSpentAmount, lastRecurrence } = plan
  const isUsed = periodSpentAmount > 0n || lastRecurrence !== null
  const left = currentAmount === 0n ? null : money(currentAmount)
  return words.lasts({ left, isUsed, funding: funding && day(funding) })
}

function max0(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

function createTexts({
  currency,
  locale,
  timezone,
  language,
  payer,
}: Style): Omit<Texts, 'hasBill'> {
  const places = decimalPlaces(currency)
  const tag = tagOf(locale)
  const amounts = new Intl.NumberFormat(tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  const own = new Intl.Locale(tag)
  const asked = language ?? own.language
  const spoken = wordsOf.has(asked) ? asked : 'en'
  const dayTag = spoken === own.language ? tag : `${spoken}-${own.maximize().region}`
  // The form of short days in the app. A `dateStyle` is another one in German.
  const form = { year: 'numeric', month: 'short', day: 'numeric', timeZone: timezone } as const
  const days = new Intl.DateTimeFormat(dayTag, form)
  return {
    words: wordsOf.get(spoken) ?? english,
    payer,
    money: (amount) => isolated(amounts.format(decimal(amount, places))),
    day: (date) => isolated(days.format(date)),
  }
}

const wordsOf = new Map([
  ['en', english],
  ['de', german],
])

/** Returns the BCP 47 tag of a POSIX locale, `de-DE` of `de_DE.UTF-8`; `en` of an unknown one. */
function tagOf(locale: string): string {
  const [name = ''] = locale.split('.')
  try {
    return Intl.NumberFormat.supportedLocalesOf(name.replaceAll('_', '-'))[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/**
 * Puts a text in a script from right to left into a directional isolate (Unicode Annex 9),
 * so that the terms of a sum stay in their order in a sentence from left to right.
 */
function isolated(text: string): string {
  return /[\u0590-\u08ff\u200f]/.test(text) ? `\u2068${text}\u2069` : text
}

/** Returns minor units as text such as `1234e-2`, which Intl.NumberFormat does not round. */
function decimal(amount: bigint, places: number): `${number}` {
  return `${amount}e-${places}` as `${number}`
}

import { decimalPlaces } from '@coffer/kit/values/currency'
import { amountMax } from '@coffer/kit/values/money'
import type { Spending } from '../book/spending.ts'
import type { Explanation } from './explanation.ts'

/** Format of amounts and days: currency (ISO 4217), locale (such as en_US), IANA timezone. */
export type Style = { currency: string; locale: string; timezone: string }

type Texts = { money: (amount: bigint) => string; day: (date: Date | null) => string }

/** Renders an explanation as English sentences (docs/plans.md#the-explanation). */
export function renderSentences(plan: Spending, explanation: Explanation, style: Style): string[] {
  const texts = createTexts(style)
  const { method, isBehind } = explanation
  return [
    start(plan, explanation, texts),
    ...(method === 'split' ? split(plan, explanation, texts) : []),
    ...(method === 'targets' ? targets(plan, explanation, texts) : []),
    ...(method === 'none' ? ['No funding or no due date follows: nothing more is put aside.'] : []),
    ...(isBehind ? [behind(explanation, texts)] : []),
    ...(plan.isPaused ? ['It is paused: nothing is put aside until it is resumed.'] : []),
  ]
}

function start(plan: Spending, { due, progress }: Explanation, { money, day }: Texts): string {
  const target = `${money(plan.targetAmount)} is the target`
  const until = due ? `, due on ${day(due)}` : ''
  const spent = plan.ruleset === null && plan.usedAmount > 0n
  const used = spent ? ` (${money(plan.usedAmount)} of it already spent)` : ''
  return `${target}${until}; ${money(progress)} is put aside so far${used}.`
}

function split(
  plan: Spending,
  { need, divisor, remainder, nextContributionAmount, progress, ...dates }: Explanation,
  { money, day }: Texts,
): string[] {
  if (need === 0n) return ['The target is reached, so the next funding adds nothing.']
  const missing = `${money(plan.targetAmount)} − ${money(progress)} = ${money(need)} is missing.`
  const first = day(dates.funding)
  if (divisor === 1n) return [missing, `The next funding, on ${first}, adds all of it.`]
  const parts = `${divisor} fundings share it: ${money(need)} ÷ ${divisor}`
  const share = `${parts} = ${money(nextContributionAmount)} on ${first}.`
  const rest = `The remaining ${money(remainder)} of the division comes with a later funding.`
  return [missing, share, ...(remainder > 0n ? [rest] : [])]
}

function targets(
  { targetAmount }: Spending,
  { need, duesBeforeFunding, duesAfterFunding, funding, fundingAfter, progress }: Explanation,
  { money, day }: Texts,
): string[] {
  const between = fundingAfter
    ? `before the one after it on ${day(fundingAfter)}`
    : 'and no other funding follows'
  const due = money(targetAmount * BigInt(duesAfterFunding))
  const times = `${duesAfterFunding} × ${money(targetAmount)} = ${due}`
  const carried = max0(progress - targetAmount * BigInt(duesBeforeFunding))
  const most = need === amountMax ? ', the most that an amount may be' : ''
  const taken = duesBeforeFunding > 0 ? `, after ${duesBeforeFunding} due before it,` : ''
  return [
    `The funding on ${day(funding)} covers what falls due from then on, ${between}: ${times}.`,
    `Of what is put aside ${money(carried)} is left by then${taken} so it adds ` +
      `${money(need)}${most}.`,
  ]
}

function behind({ funding, progress }: Explanation, { money, day }: Texts): string {
  const before = funding ? `before the next funding on ${day(funding)}` : 'and no funding follows'
  return `It is behind: more than ${money(progress)} falls due ${before}.`
}

function max0(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

function createTexts({ currency, locale, timezone }: Style): Texts {
  const places = decimalPlaces(currency)
  const tag = languageTag(locale)
  const amounts = new Intl.NumberFormat(tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  const days = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: timezone })
  return {
    money: (amount) => amounts.format(decimal(amount, places)),
    day: (date) => (date ? days.format(date) : ''),
  }
}

/** Converts a POSIX locale to a BCP 47 tag (`de_DE.UTF-8` to `de-DE`); `en` if it is unknown. */
function languageTag(locale: string): string {
  const [name = ''] = locale.split('.')
  const tag = name.replaceAll('_', '-')
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** Returns minor units as text such as `1234e-2`, which Intl.NumberFormat does not round. */
function decimal(amount: bigint, places: number): `${number}` {
  return `${amount}e-${places}` as `${number}`
}

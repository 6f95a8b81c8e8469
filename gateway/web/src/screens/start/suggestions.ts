import type { Transaction } from '../../api/budget-queries.ts'
import { daysBetween } from '../../format/days.ts'
import { plainText } from '../../format/plain-text.ts'
import type { Repeat } from '../../format/recurrence.ts'
import type { Pace, Proposal } from '../schedules/schedule-pace.ts'

/** A payment or deposit, reduced to what suggestions need. */
interface Movement {
  name: string
  /** `2026-11-20` */
  day: string
  /** In minor units, positive. */
  amount: number
  /** Whether an envelope has paid it. */
  isPaid?: boolean
}

/** Similar transactions, newest first. */
export interface Group {
  name: string
  movements: Movement[]
}

/** A suggested envelope. */
export interface Suggestion {
  name: string
  /** In minor units. */
  target: number
  repeat: Repeat
  /** Next due date. */
  day: string
  /** Whether the suggested expense is a bill, paid at once and not in parts over the month. */
  isBill: boolean
}

const suggestionsMax = 8
/**
 * Minimum number of days between two bills; payments at shorter intervals are everyday shopping.
 */
const billDaysMin = 25

/** Returns the payments among the transactions, or the deposits with `isIncome`. */
export function movementsOf(
  transactions: Transaction[],
  { isIncome, dayOf }: { isIncome: boolean; dayOf: (instant: string) => string },
): (Movement & { transactionId: string })[] {
  return transactions
    .filter(({ amount }) => (isIncome ? amount < 0 : amount > 0))
    .map(({ transactionId, amount, date, spendingId, merchantName, name, originalName }) => ({
      transactionId,
      isPaid: spendingId !== null,
      name: merchantName || name || originalName,
      day: dayOf(date),
      amount: Math.abs(amount),
    }))
}

/** Groups movements without a cluster by their names without digits. */
export function groupByName(movements: Movement[]): Group[] {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[\d#*.:/-]+/g, ' ')
      .trim()
  const byName = Map.groupBy(movements, ({ name }) => plain(name))
  return [...byName.values()].map((own) => ({ name: own[0]?.name ?? '', movements: own }))
}

/**
 * Returns a function that tells whether two names are of the same payee: more than half of their
 * words are the same. Members of a cluster may share only a city. Words of more than a third of
 * `names`, such as CARD PAYMENT, do not count.
 */
export function createPayees(names: readonly string[]): (one: string, other: string) => boolean {
  const all = [...new Set(names)].map(wordsOf)
  const counts = new Map<string, number>()
  for (const word of all.flatMap((words) => [...words])) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const isCommon = (word: string) => (counts.get(word) ?? 0) > Math.max(3, all.length / 3)
  return (one, other) => {
    const [its, others] = [one, other].map((name) => [...wordsOf(name)].filter((w) => !isCommon(w)))
    const shared = (its ?? []).filter((word) => others?.includes(word)).length
    return one === other || shared * 2 > Math.min(its?.length ?? 0, others?.length ?? 0)
  }
}

function wordsOf(name: string): Set<string> {
  const words = plainText(name)
    .replaceAll(/['’.-]/g, '')
    .split(/[^\p{L}]+/u)
  return new Set(words.filter((word) => word.length > 2))
}

/**
 * Suggests envelopes for payments that repeat and that no envelope has paid, the largest sum first.
 * Leaves out names in `known`.
 */
export function suggestEnvelopes(
  groups: Group[],
  { today, known }: { today: string; known: string[] },
): Suggestion[] {
  return groups
    .filter(({ name, movements }) => !known.includes(name) && !movements.some((one) => one.isPaid))
    .flatMap(({ name, movements }): (Suggestion & { month: number })[] => {
      const gaps = gapsOf(movements)
      const gap = median(gaps)
      const last = movements[0]
      if (gap === null || last === undefined) return []
      if (Math.min(...gaps) >= billDaysMin) {
        const repeat = gap > 300 ? 'yearly' : gap > 75 ? 'quarterly' : 'monthly'
        const months = { monthly: 1, quarterly: 3, yearly: 12 }[repeat]
        const day = nextAfter(last.day, months, today)
        return [
          { name, target: last.amount, repeat, day, isBill: true, month: last.amount / months },
        ]
      }
      const days = daysBetween(movements.at(-1)?.day ?? last.day, last.day) + gap
      const total = movements.reduce((sum, { amount }) => sum + amount, 0)
      const month = Math.min(total, (total / Math.max(days, 30)) * 30.44)
      const target = Math.ceil(month / 1_000) * 1_000
      const day = firstOfNextMonth(today)
      return [{ name, target, repeat: 'monthly' as const, day, isBill: false, month }]
    })
    .sort((a, b) => b.month - a.month)
    .slice(0, suggestionsMax)
    .map(({ month: _, ...one }) => one)
}

/** Suggests a payday by the largest regular deposit; null without one. */
export function suggestPayday(groups: Group[], today: string): Omit<Proposal, 'name'> | null {
  const regular = groups.flatMap(({ movements }) => {
    const gap = median(gapsOf(movements))
    const pace = areMonthEnds(movements) ? 'month-end' : gap === null ? null : paceOf(gap)
    const last = movements[0]
    return pace === null || last === undefined ? [] : [{ pace, gap: gap ?? 0, last }]
  })
  const [largest] = regular.sort((a, b) => b.last.amount - a.last.amount)
  if (largest === undefined) return null
  const { pace, gap, last } = largest
  return { pace, day: paydayAfter(last.day, { pace, gap, today }), deposit: last.amount }
}

/** Returns whether the newest deposits, at least two, were on the last day of their months. */
function areMonthEnds(movements: Movement[]): boolean {
  const newest = movements.slice(0, 3)
  return newest.length > 1 && newest.every(({ day }) => addDays(day, 1).endsWith('-01'))
}

/** Returns the first month end after today. */
function monthEndAfter(today: string): string {
  return addDays(nextAfter(`${addDays(today, 1).slice(0, 8)}01`, 1, addDays(today, 1)), -1)
}

function paceOf(gap: number): Pace | null {
  if (gap >= 6 && gap <= 8) return 'weekly'
  if (gap === 14) return 'biweekly'
  if (gap >= 13 && gap <= 17) return 'twice-monthly'
  return gap >= 26 && gap <= 33 ? 'monthly' : null
}

function paydayAfter(
  last: string,
  { pace, gap, today }: { pace: Pace; gap: number; today: string },
): string {
  if (pace === 'month-end') return monthEndAfter(today)
  if (pace === 'monthly') return nextAfter(last, 1, today)
  let day = last
  while (day <= today) day = addDays(day, pace === 'twice-monthly' ? 15 : Math.round(gap))
  return day
}

/** Returns the first of the next month. */
export function firstOfNextMonth(today: string): string {
  return nextAfter(`${today.slice(0, 8)}01`, 1, today)
}

/**
 * Returns the first day after `today` among `day`, `months` later, twice `months` later, and so on.
 */
function nextAfter(day: string, months: number, today: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  for (let later = 0; ; later += months) {
    // At most 28: in shorter months the 29th to 31st would overflow into the next month.
    const next = new Date(Date.UTC(year, month - 1 + later, Math.min(date, 28)))
    if (next.toISOString().slice(0, 10) > today) return next.toISOString().slice(0, 10)
  }
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}

function gapsOf(movements: Movement[]): number[] {
  return movements.slice(1).map(({ day }, at) => daysBetween(day, movements[at]?.day ?? day))
}

function median(numbers: number[]): number | null {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? null
}

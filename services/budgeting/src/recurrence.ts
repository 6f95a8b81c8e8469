import { type Rule, readRuleset } from '@coffer/kit/ruleset'
import { dayMs, fromLocal, hourMs, toLocal } from '@coffer/kit/time'
import { type DaysOfYear, recurrenceDays } from './recurrence-days.ts'

/** The occurrences of one ruleset in one timezone, year by year as they are asked for, in ms. */
export type Occurrences = {
  rule: Rule
  timezone: string
  /** The wall-clock time at which it starts, and the days that it selects. */
  start: number
  days: DaysOfYear
  /** RDATEs by the year of local time, and EXDATEs. */
  added: Map<number, number[]>
  removed: Set<number>
  yearFirst: number
  yearLast: number
  years: Map<number, number[]>
  counted: number
}

/** No search goes further than this: the rarest calendar rules repeat within 40 years. */
const horizonYears = 100
const offsetMaxMs = 15 * hourMs
const yearEnd = 9000
const rulesMax = 2000
const occurrencesMax = 500_000

const cache = new Map<string, Map<string, Occurrences>>()
const cached = { rules: 0, occurrences: 0 }

/**
 * The occurrences of a valid ruleset, expanded in the wall-clock time of `timezone` as
 * `spec/budgeting.md` 1.4 demands. Throws RangeError for an invalid ruleset or timezone.
 */
export function occurrencesOf(ruleset: string, timezone: string): Occurrences {
  const known = cache.get(timezone)?.get(ruleset)
  if (known) {
    return known
  }
  const read = readRuleset(ruleset)
  if ('problem' in read) {
    throw new RangeError(`ruleset ${read.problem}`)
  }
  if (cached.rules >= rulesMax || cached.occurrences >= occurrencesMax) {
    cache.clear()
    Object.assign(cached, { rules: 0, occurrences: 0 })
  }
  const found = newOccurrences(read.rule, timezone)
  cached.rules += 1
  cache.set(timezone, (cache.get(timezone) ?? new Map()).set(ruleset, found))
  return found
}

/**
 * The first occurrence strictly later than `instant` (ms), or null when there is none within 100
 * years.
 */
export function occurrenceAfter(occurrences: Occurrences, instant: number): number | null {
  const from = Math.max(occurrences.yearFirst, yearOf(instant - offsetMaxMs))
  for (let year = from; year <= Math.min(occurrences.yearLast, from + horizonYears); year += 1) {
    const instants = instantsOf(occurrences, year)
    const index = countBelow(instants, instant + 1)
    if (index < instants.length) {
      return instants[index] as number
    }
  }
  return null
}

/**
 * The last occurrence strictly earlier than `instant` (ms), or null when there is none within
 * 100 years.
 */
export function occurrenceBefore(occurrences: Occurrences, instant: number): number | null {
  const from = Math.min(occurrences.yearLast, yearOf(instant + offsetMaxMs))
  for (let year = from; year >= Math.max(occurrences.yearFirst, from - horizonYears); year -= 1) {
    const instants = instantsOf(occurrences, year)
    const index = countBelow(instants, instant)
    if (index > 0) {
      return instants[index - 1] as number
    }
  }
  return null
}

/** How many occurrences fall in `[from, before)` (ms), looking at 100 years at most. */
export function countOccurrences(
  occurrences: Occurrences,
  { from, before }: { from: number; before: number },
): number {
  const start = Math.max(occurrences.yearFirst, yearOf(from - offsetMaxMs))
  const end = Math.min(occurrences.yearLast, yearOf(before + offsetMaxMs), start + horizonYears)
  let count = 0
  for (let year = start; year <= end && from < before; year += 1) {
    const instants = instantsOf(occurrences, year)
    count += countBelow(instants, before) - countBelow(instants, from)
  }
  return count
}

/** The occurrences in `[from, before)` (ms), ascending; the first `limit` of them. */
export function listOccurrences(
  occurrences: Occurrences,
  { from, before }: { from: number; before: number },
  limit: number,
): number[] {
  const found: number[] = []
  let next = occurrenceAfter(occurrences, from - 1)
  while (next !== null && next < before && found.length < limit) {
    found.push(next)
    next = occurrenceAfter(occurrences, next)
  }
  return found
}

function newOccurrences(rule: Rule, timezone: string): Occurrences {
  const last = rule.until === null ? null : Math.max(rule.until, ...rule.added)
  const start = toLocal(rule.start, timezone)
  return {
    rule,
    timezone,
    start,
    days: recurrenceDays(rule, Math.floor(start / dayMs)),
    added: Map.groupBy(rule.added, (instant) => yearOf(toLocal(instant, timezone))),
    removed: new Set(rule.removed),
    yearFirst: yearOf(toLocal(Math.min(rule.start, ...rule.added), timezone)),
    yearLast: last === null ? yearEnd : yearOf(last + offsetMaxMs),
    years: new Map(),
    counted: 0,
  }
}

/** The occurrences of one year of local time, ascending. */
function instantsOf(occurrences: Occurrences, year: number): number[] {
  const { rule, years, yearFirst } = occurrences
  // COUNT counts from the first year on, so all years up to this one have to be known.
  const from = rule.count === null ? year : yearFirst + years.size
  for (let next = from; !years.has(year); next += 1) {
    const left = (rule.count ?? Number.POSITIVE_INFINITY) - occurrences.counted
    const kept = left > 0 ? ruleInstants(occurrences, next).slice(0, left) : []
    occurrences.counted += kept.length
    years.set(next, withDates(occurrences, next, kept))
    cached.occurrences += kept.length + 1
  }
  return years.get(year) as number[]
}

function ruleInstants({ rule, timezone, start, days }: Occurrences, year: number): number[] {
  const timeOfDay = start - Math.floor(start / dayMs) * dayMs
  const until = rule.until ?? Number.POSITIVE_INFINITY
  return days(year)
    .map((day) => day * dayMs + timeOfDay)
    .filter((local) => local >= start)
    .map((local) => fromLocal(local, timezone))
    .filter((instant) => instant <= until)
}

/** Adds the RDATEs of the year and takes the EXDATEs away. */
function withDates({ added, removed }: Occurrences, year: number, instants: number[]): number[] {
  if (added.size + removed.size === 0) {
    return instants
  }
  const all = new Set([...instants, ...(added.get(year) ?? [])])
  return [...all].filter((instant) => !removed.has(instant)).sort((a, b) => a - b)
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear()
}

/** How many of the ascending `instants` are less than `bound`. */
function countBelow(instants: number[], bound: number): number {
  let [low, high] = [0, instants.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle] as number) < bound) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

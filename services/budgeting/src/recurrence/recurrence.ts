import { type Rule, readRuleset } from '@coffer/kit/values/ruleset'
import { dayMs, fromLocal, hourMs, toLocal } from '@coffer/kit/values/time'
import { daysMax, horizonYears, rulesMax, yearEnd } from './bounds.ts'
import { type DaysOfYear, recurrenceDays } from './recurrence-days.ts'

/**
 * Occurrences of one ruleset in one timezone. Lazy: days are calculated for each year on first use,
 * instants for each day on first use.
 */
export type Occurrences = {
  rule: Rule
  timezone: string
  /** Day number and time of day (ms) of DTSTART, in local time. */
  startDay: number
  timeOfDay: number
  days: DaysOfYear
  yearFirst: number
  yearLast: number
  years: Map<number, Year>
  /** For COUNT: running total of the days of the rule, for each year from the first. */
  counted: number[]
  /** RDATEs that are no occurrence of the rule, and EXDATEs that are one, ascending (ms). */
  added: number[]
  removed: number[]
}

/** Ascending day numbers of one year in local time, and their instants (ms), 0 if unknown. */
type Year = { days: number[]; instants: Float64Array }

const offsetMaxMs = 15 * hourMs

// Not lru-cache: an entry grows after it is stored, and the days of all rules are bounded.
const cache = new Map<string, Map<string, Occurrences>>()
const cached = { rules: 0, days: 0 }

/**
 * Occurrences of a ruleset in the wall-clock time of `timezone`
 * (docs/recurrence.md#wall-clock-time). Cached: the process keeps up to 2,000 rules. Throws
 * RangeError for an invalid ruleset or timezone.
 */
export function occurrencesOf(ruleset: string, timezone: string): Occurrences {
  const known = cache.get(timezone)?.get(ruleset)
  if (known) return known
  const read = readRuleset(ruleset)
  if ('problem' in read) throw new RangeError(`ruleset ${read.problem}`)
  if (cached.rules >= rulesMax) {
    clearCache()
  }
  const found = newOccurrences(read.rule, timezone)
  cached.rules += 1
  cache.set(timezone, (cache.get(timezone) ?? new Map()).set(ruleset, found))
  return found
}

/** The first occurrence (ms) later than `instant` (ms); null if none follows within 100 years. */
export function occurrenceAfter(occurrences: Occurrences, instant: number): number | null {
  const { added, removed } = occurrences
  let next = ruleAfter(occurrences, instant)
  while (next !== null && removed.includes(next)) {
    next = ruleAfter(occurrences, next)
  }
  const addition = added[countBelow(added, instant + 1)] ?? null
  return next === null || addition === null ? (next ?? addition) : Math.min(next, addition)
}

/** The last occurrence (ms) before `instant` (ms); null if there is none within 100 years. */
export function occurrenceBefore(occurrences: Occurrences, instant: number): number | null {
  const { added, removed } = occurrences
  let last = ruleBefore(occurrences, instant)
  while (last !== null && removed.includes(last)) {
    last = ruleBefore(occurrences, last)
  }
  const addition = added[countBelow(added, instant) - 1] ?? null
  return last === null || addition === null ? (last ?? addition) : Math.max(last, addition)
}

/** The number of occurrences in `[from, before)` (ms), within 100 years from `from`. */
export function countOccurrences(
  occurrences: Occurrences,
  { from, before }: { from: number; before: number },
): number {
  if (from >= before) return 0
  const { added, removed } = occurrences
  const others = countBelow(added, before) - countBelow(added, from)
  const gone = countBelow(removed, before) - countBelow(removed, from)
  return countOfRule(occurrences, { from, before }) + others - gone
}

/** The first `limit` occurrences (ms, ascending) in `[from, before)` (ms). */
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
  const start = toLocal(rule.start, timezone)
  const startDay = Math.floor(start / dayMs)
  const occurrences: Occurrences = {
    rule,
    timezone,
    startDay,
    timeOfDay: start - startDay * dayMs,
    days: recurrenceDays(rule, startDay),
    yearFirst: yearOf(start),
    yearLast: rule.until === null ? yearEnd : yearOf(rule.until + offsetMaxMs),
    years: new Map(),
    counted: [],
    added: [],
    removed: [],
  }
  const removed = new Set(rule.removed)
  const isOfRule = (instant: number) => ruleAfter(occurrences, instant - 1) === instant
  const added = [...new Set(rule.added)].filter((one) => !removed.has(one) && !isOfRule(one))
  return {
    ...occurrences,
    added: added.sort((a, b) => a - b),
    removed: [...removed].filter(isOfRule).sort((a, b) => a - b),
  }
}

function ruleAfter(occurrences: Occurrences, instant: number): number | null {
  const { rule, yearFirst, yearLast } = occurrences
  const until = rule.until ?? Number.POSITIVE_INFINITY
  const from = Math.max(yearFirst, yearOf(instant - offsetMaxMs))
  for (let year = from; year <= Math.min(yearLast, from + horizonYears); year += 1) {
    const found = yearOfRule(occurrences, year)
    const index = indexIn(occurrences, found, instant + 1)
    if (index < found.days.length) {
      const next = instantAt(occurrences, found, index)
      return next <= until ? next : null
    }
  }
  return null
}

function ruleBefore(occurrences: Occurrences, instant: number): number | null {
  const { rule, yearFirst, yearLast } = occurrences
  const before = Math.min(instant, (rule.until ?? Number.POSITIVE_INFINITY) + 1)
  const from = Math.min(yearLast, yearOf(before + offsetMaxMs))
  for (let year = from; year >= Math.max(yearFirst, from - horizonYears); year -= 1) {
    const found = yearOfRule(occurrences, year)
    const index = indexIn(occurrences, found, before)
    if (index > 0) return instantAt(occurrences, found, index - 1)
  }
  return null
}

function countOfRule(occurrences: Occurrences, range: { from: number; before: number }): number {
  const { rule, yearFirst, yearLast } = occurrences
  const { from } = range
  const before = Math.min(range.before, (rule.until ?? Number.POSITIVE_INFINITY) + 1)
  const first = Math.max(yearFirst, yearOf(from - offsetMaxMs))
  const last = Math.min(yearLast, yearOf(before + offsetMaxMs), first + horizonYears)
  let count = 0
  for (let year = first; year <= last && from < before; year += 1) {
    const found = yearOfRule(occurrences, year)
    count += indexIn(occurrences, found, before) - indexIn(occurrences, found, from)
  }
  return count
}

/**
 * The number of occurrences of a year before `bound` (ms). Compares day numbers, and looks up the
 * timezone only for days near `bound`, since each look-up costs microseconds.
 */
function indexIn(occurrences: Occurrences, year: Year, bound: number): number {
  const sure = (bound - offsetMaxMs - occurrences.timeOfDay) / dayMs
  let index = countBelow(year.days, sure)
  while (index < year.days.length && instantAt(occurrences, year, index) < bound) {
    index += 1
  }
  return index
}

function instantAt(
  { timezone, timeOfDay }: Occurrences,
  { days, instants }: Year,
  index: number,
): number {
  const known = instants[index]
  if (known) return known
  const instant = fromLocal((days[index] as number) * dayMs + timeOfDay, timezone)
  instants[index] = instant
  return instant
}

function yearOfRule(occurrences: Occurrences, year: number): Year {
  const known = occurrences.years.get(year)
  if (known) return known
  const days = ruleDays(occurrences, year)
  cached.days += days.length + 1
  if (cached.days > daysMax) {
    clearCache()
  }
  const found = { days, instants: new Float64Array(days.length) }
  occurrences.years.set(year, found)
  return found
}

/** Days of the rule in one year of local time, from DTSTART on, limited by COUNT. */
function ruleDays(occurrences: Occurrences, year: number): number[] {
  const { rule, startDay, days, yearFirst } = occurrences
  const left = rule.count === null ? null : rule.count - daysBefore(occurrences, year, rule.count)
  if (left !== null && left <= 0) return []
  const found = year === yearFirst ? days(year).filter((day) => day >= startDay) : days(year)
  return left === null ? found : found.slice(0, left)
}

/** The number of days of the rule before a year; counting stops at `enough`. */
function daysBefore(
  { startDay, days, yearFirst, counted }: Occurrences,
  year: number,
  enough: number,
): number {
  let count = counted.at(-1) ?? 0
  for (let next = yearFirst + counted.length; next < year && count < enough; next += 1) {
    const found = days(next)
    count += next === yearFirst ? found.filter((day) => day >= startDay).length : found.length
    counted.push(count)
  }
  return counted[Math.min(year - yearFirst, counted.length) - 1] ?? 0
}

function clearCache(): void {
  cache.clear()
  Object.assign(cached, { rules: 0, days: 0 })
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear()
}

/** The number of ascending `values` less than `bound` (binary search). */
function countBelow(values: number[], bound: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] as number) < bound) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

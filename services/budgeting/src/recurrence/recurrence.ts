import { startOfDay } from '@coffer/kit/values/day'
import { type Rule, readRuleset } from '@coffer/kit/values/ruleset'
import { dayMs, fromLocal, hourMs, toLocal } from '@coffer/kit/values/time'
import { LRUCache } from 'lru-cache'
import { daysMax, horizonYears, rulesMax, yearEnd } from './recurrence-bounds.ts'
import { type DaysOfYear, recurrenceDays, yearOfDay } from './recurrence-days.ts'

/** Occurrences of one ruleset in one timezone; years and instants are calculated on first use. */
export type Occurrences = {
  entry: Entry
  rule: Rule
  timezone: string
  /** Day number (days since 1970-01-01) and time of day (ms) of DTSTART, in local time. */
  startDay: number
  timeOfDay: number
  days: DaysOfYear
  yearFirst: number
  yearLast: number
  years: Map<number, Year>
  /** For COUNT: number of the rule's days from DTSTART to the end of each year. */
  counted: number[]
  /** RDATEs that are no occurrence of the rule, ascending (ms). */
  added: number[]
  /** EXDATEs that are an occurrence of the rule, ascending (ms). */
  removed: number[]
}

/** Ascending day numbers of a year in local time; and their instants (ms), 0 before first use. */
type Year = { days: number[]; instants: Float64Array }

const offsetMaxMs = 15 * hourMs

/** A cached ruleset. `size` is its number of days, plus one for each timezone and year. */
type Entry = { ruleset: string; size: number; byTimezone: Map<string, Occurrences> }

const cache = new LRUCache<string, Entry>({ max: rulesMax, maxSize: daysMax })

/**
 * Returns the occurrences of a ruleset in `timezone` (docs/recurrence.md#wall-clock-time), from a
 * cache of up to 2,000 rules per process. Throws RangeError for an invalid ruleset or timezone.
 */
export function occurrencesOf(ruleset: string, timezone: string): Occurrences {
  const entry = cache.get(ruleset) ?? { ruleset, size: 0, byTimezone: new Map() }
  const known = entry.byTimezone.get(timezone)
  if (known) return known
  const read = readRuleset(ruleset)
  if ('problem' in read) throw new RangeError(`ruleset ${read.problem}`)
  const found = newOccurrences(entry, read.rule, timezone)
  entry.byTimezone.set(timezone, found)
  entry.size += 1
  keep(entry)
  return found
}

/** Returns the first occurrence (ms) after `instant` (ms), null if there is none in 100 years. */
export function occurrenceAfter(occurrences: Occurrences, instant: number): number | null {
  const { added, removed } = occurrences
  let next = ruleAfter(occurrences, instant)
  while (next !== null && removed.includes(next)) {
    next = ruleAfter(occurrences, next)
  }
  const addition = added[countBelow(added, instant + 1)] ?? null
  return next === null || addition === null ? (next ?? addition) : Math.min(next, addition)
}

/** Returns the last occurrence (ms) before `instant` (ms), null if there is none in 100 years. */
export function occurrenceBefore(occurrences: Occurrences, instant: number): number | null {
  const { added, removed } = occurrences
  let last = ruleBefore(occurrences, instant)
  while (last !== null && removed.includes(last)) {
    last = ruleBefore(occurrences, last)
  }
  const addition = added[countBelow(added, instant) - 1] ?? null
  return last === null || addition === null ? (last ?? addition) : Math.max(last, addition)
}

/** Counts the occurrences in `[from, before)` (ms), up to 100 years from `from`. */
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

/** Lists the first `limit` occurrences (ms, ascending) in `[from, before)` (ms). */
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

function newOccurrences(entry: Entry, rule: Rule, timezone: string): Occurrences {
  const start = toLocal(rule.start, timezone)
  const startDay = Math.floor(start / dayMs)
  const occurrences: Occurrences = {
    entry,
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
  const ofRule = [...removed].filter(isOfRule)
  return {
    ...occurrences,
    added: added.sort((a, b) => a - b),
    removed: ofRule.sort((a, b) => a - b),
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
 * Counts the rule's occurrences in a year before `bound` (ms). Compares day numbers; only days near
 * `bound` are converted by the timezone, since each conversion costs microseconds.
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
  const day = days[index] as number
  const instant =
    timeOfDay === 0 ? startOfDay(day, timezone) : fromLocal(day * dayMs + timeOfDay, timezone)
  instants[index] = instant
  return instant
}

function yearOfRule(occurrences: Occurrences, year: number): Year {
  const known = occurrences.years.get(year)
  if (known) return known
  const days = ruleDays(occurrences, year)
  const found = { days, instants: new Float64Array(days.length) }
  occurrences.years.set(year, found)
  const { entry } = occurrences
  entry.size += days.length + 1
  if (cache.peek(entry.ruleset) === entry) keep(entry)
  return found
}

/** Stores a ruleset with its size; the cache drops those that were used least recently. */
function keep(entry: Entry): void {
  const { ruleset, size } = entry
  // Deleted first, because the cache keeps the former size of an entry that is set again with the
  // same value.
  cache.delete(ruleset)
  cache.set(ruleset, entry, { size })
}

/** Returns the rule's days in one year of local time, from DTSTART on, limited by COUNT. */
function ruleDays(occurrences: Occurrences, year: number): number[] {
  const { rule, startDay, days, yearFirst } = occurrences
  const left = rule.count === null ? null : rule.count - daysBefore(occurrences, year, rule.count)
  if (left !== null && left <= 0) return []
  const found = year === yearFirst ? days(year).filter((day) => day >= startDay) : days(year)
  return left === null ? found : found.slice(0, left)
}

/** Counts the rule's days before a year; stops when the count reaches `enough`. */
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

function yearOf(instant: number): number {
  return yearOfDay(instant / dayMs)
}

/** Counts the ascending `values` that are less than `bound` (binary search). */
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

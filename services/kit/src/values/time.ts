import { IANAZone } from 'luxon'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export const yearFirst = 1900
export const yearLast = 2199

/** Range of years in dates, for error texts (docs/limits.md). */
export const yearRange = `the years ${yearFirst} and ${yearLast}`

/** Returns whether dates may have this calendar year: 1900 to 2199. */
export function isYearInRange(year: number): boolean {
  return yearFirst <= year && year <= yearLast
}

/** Step in ms of the search for offset changes: offsets last for weeks, so none is missed. */
const sampleMs = 10 * dayMs
const zonesMax = 1000
const yearsMax = 1000
/**
 * Number of look-ups in one year of a timezone after which the year's offset changes are searched
 * and cached. The search itself makes about as many look-ups.
 */
const lookUpsMax = 100

/** UTC offsets of a timezone in one year: `offsets[i]` holds from `from[i]` on, in ms. */
type YearOfOffsets = { from: number[]; offsets: number[] }
/** Look-ups so far in a year of a timezone; its offsets, null before `lookUpsMax` look-ups. */
type Year = { lookUps: number; known: YearOfOffsets | null }
type Zone = { rules: IANAZone; years: Map<number, Year> }

// A cache, because the runtime takes microseconds for each look-up, and Luxon's cache is unbounded.
const zones = new Map<string, Zone>()

/** Returns whether a text names an IANA timezone; false for an offset (`+0500`). */
export function isTimezone(text: string): boolean {
  return zones.has(text) || (/^[A-Za-z]/.test(text) && IANAZone.isValidZone(text))
}

/**
 * Returns an instant's wall-clock time in a timezone, encoded as the ms of that date and time in
 * UTC. Throws RangeError for an unknown timezone.
 */
export function toLocal(instant: number, timezone: string): number {
  return instant + offsetAt(zoneOf(timezone), instant)
}

/**
 * Returns the instant of a wall-clock time, which is given as the ms of this date and time in UTC
 * (RFC 5545 3.3.5). For a repeated time, its first occurrence; for a skipped time, uses the offset
 * before the gap. Throws RangeError for an unknown timezone.
 */
export function fromLocal(local: number, timezone: string): number {
  const zone = zoneOf(timezone)
  const before = offsetAt(zone, local - dayMs)
  const after = offsetAt(zone, local + dayMs)
  if (before === after || offsetAt(zone, local - before) === before) return local - before
  return offsetAt(zone, local - after) === after ? local - after : local - before
}

function zoneOf(timezone: string): Zone {
  const known = zones.get(timezone)
  if (known) return known
  if (!isTimezone(timezone)) throw new RangeError(`unknown timezone ${timezone}`)
  if (zones.size >= zonesMax) {
    zones.clear()
    // Empties Luxon's cache as well, because it stores every spelling of a name (Europe/BERLIN,
    // Europe/Berlin) without a bound.
    IANAZone.resetCache()
  }
  const zone = { rules: IANAZone.create(timezone), years: new Map() }
  zones.set(timezone, zone)
  return zone
}

function offsetAt(zone: Zone, instant: number): number {
  const year = yearOf(zone, instant)
  if (!year.known && year.lookUps < lookUpsMax) {
    year.lookUps += 1
    return offsetMs(zone.rules, instant)
  }
  year.known ??= offsetsOf(zone.rules, instant)
  const { from, offsets } = year.known
  let index = from.length - 1
  while (index > 0 && (from[index] as number) > instant) {
    index -= 1
  }
  return offsets[index] as number
}

function yearOf(zone: Zone, instant: number): Year {
  const number = new Date(instant).getUTCFullYear()
  const found = zone.years.get(number)
  if (found) return found
  if (zone.years.size >= yearsMax) {
    zone.years.clear()
  }
  const year = { lookUps: 0, known: null }
  zone.years.set(number, year)
  return year
}

/** Finds all changes of a timezone's UTC offset in the UTC year of an instant. */
function offsetsOf(rules: IANAZone, instant: number): YearOfOffsets {
  const year = new Date(instant).getUTCFullYear()
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
  const found = { from: [from], offsets: [offsetMs(rules, from)] }
  for (let start = from; start < to; start += sampleMs) {
    const end = Math.min(start + sampleMs, to) - 1
    const last = found.offsets.at(-1) as number
    const next = offsetMs(rules, end)
    if (next !== last) {
      found.from.push(firstChange(rules, { from: start, to: end, offset: last }))
      found.offsets.push(next)
    }
  }
  return found
}

function firstChange(
  rules: IANAZone,
  { from, to, offset }: { from: number; to: number; offset: number },
): number {
  let [same, changed] = [from, to]
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2)
    if (offsetMs(rules, middle) === offset) {
      same = middle
    } else {
      changed = middle
    }
  }
  return changed
}

function offsetMs(rules: IANAZone, instant: number): number {
  return Math.round(rules.offset(instant) * 60_000)
}

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
/** Length in ms of the spans of time for which offsets are cached. */
const spanMs = 360 * dayMs
const zonesMax = 1000
const spansMax = 1000
/**
 * Number of look-ups in one span of a timezone after which the span's offset changes are searched
 * and cached. The search itself makes about as many look-ups.
 */
const lookUpsMax = 100

/** UTC offsets of a timezone in one span: `offsets[i]` holds from `from[i]` on, in ms. */
type Offsets = { from: number[]; offsets: number[] }
/** Look-ups so far in a span of a timezone; its offsets, null before `lookUpsMax` look-ups. */
type Span = { lookUps: number; known: Offsets | null }
/** `spans` are by their number: their start divided by `spanMs`. */
type Zone = { rules: IANAZone; spans: Map<number, Span> }

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
  const zone = { rules: IANAZone.create(timezone), spans: new Map() }
  zones.set(timezone, zone)
  return zone
}

function offsetAt(zone: Zone, instant: number): number {
  const number = Math.floor(instant / spanMs)
  const span = zone.spans.get(number) ?? newSpan(zone, number)
  if (!span.known && span.lookUps < lookUpsMax) {
    span.lookUps += 1
    return offsetMs(zone.rules, instant)
  }
  span.known ??= offsetsOf(zone.rules, number * spanMs)
  const { from, offsets } = span.known
  let index = from.length - 1
  while (index > 0 && (from[index] as number) > instant) {
    index -= 1
  }
  return offsets[index] as number
}

function newSpan(zone: Zone, number: number): Span {
  if (zone.spans.size >= spansMax) {
    zone.spans.clear()
  }
  const span = { lookUps: 0, known: null }
  zone.spans.set(number, span)
  return span
}

/** Finds all changes of a timezone's UTC offset in the span from an instant. */
function offsetsOf(rules: IANAZone, first: number): Offsets {
  const found = { from: [first], offsets: [offsetMs(rules, first)] }
  for (let start = first; start < first + spanMs; start += sampleMs) {
    const last = found.offsets.at(-1) as number
    const end = start + sampleMs - 1
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

import { type ReasonCode, say } from '../reasons/reasons.ts'
import { startOfDay } from './day.ts'
import { dayMs, fromLocal, isTimezone, isYearInRange, yearRange } from './time.ts'

/**
 * Maximum length in characters of a normalised ruleset, between services and in the database. It
 * exceeds the maximum of a request (1,000), because normalising writes each date of a list on its
 * own line.
 */
const textLengthMax = 4000

/** Maximum of COUNT, and of INTERVAL, in a recurrence rule. */
const countMax = 10_000

/** A parsed recurrence rule. Times in ms, weekdays 0 (Monday) to 6; absent parts `null` or `[]`. */
export type Rule = {
  start: number
  startText: string
  frequency: Frequency
  interval: number | null
  weekStart: number
  count: number | null
  until: number | null
  positions: number[]
  months: number[]
  monthDays: number[]
  yearDays: number[]
  weeks: number[]
  weekdays: { weekday: number; nth: number | null }[]
  added: number[]
  removed: number[]
}

type Frequency = (typeof frequencies)[number]
type Line = { name: string; zone: string | null; value: string }
type Parts = Map<string, string>

const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'] as const
/** Names of the weekdays in rules (RFC 5545), by number. */
export const weekdayNames = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const partNames = [
  'FREQ',
  'INTERVAL',
  'WKST',
  'COUNT',
  'UNTIL',
  'BYSETPOS',
  'BYMONTH',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYDAY',
  'DTSTART',
]

/**
 * Parses a ruleset: one DTSTART, one RRULE (daily or slower), any EXDATE and RDATE lines (RFC 5545
 * 3.3.10, docs/recurrence.md#rules-accepted). Returns an error text for the client if it is
 * invalid. In kit, because the gateway reports it together with errors of other fields.
 */
export function readRuleset(text: string): { rule: Rule } | { problem: string } {
  try {
    return { rule: parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message }
    throw error
  }
}

function parse(text: string): Rule {
  refuseIf(text.length > textLengthMax, 'NAME_TOO_LONG', { max: textLengthMax })
  refuseIf(text.includes('\r'), 'RULESET_LINE_FEED')
  const lines = text.split('\n').map(readLine)
  const rules = lines.filter((line) => line.name === 'RRULE')
  refuseIf(rules.length !== 1, 'RULESET_ONE_RRULE')
  const parts = readParts((rules[0] as Line).value)
  const dates = lines.filter((line) => line.name === 'RDATE' || line.name === 'EXDATE')
  const datesOf = (name: string) =>
    dates
      .filter((line) => line.name === name)
      .flatMap((line) => line.value.split(',').map((value) => readTime(value, line.zone)))
  return {
    ...readStart(lines, parts),
    ...readRule(parts),
    added: datesOf('RDATE'),
    removed: datesOf('EXDATE'),
  }
}

function readLine(line: string): Line {
  const match = /^(DTSTART|RRULE|RDATE|EXDATE)(?:;TZID=([^:;]+))?:(.*)$/.exec(line)
  refuseIf(match === null, 'RULESET_LINES')
  const [, name, zone, value] = match as unknown as [string, string, string | undefined, string]
  refuseIf(zone !== undefined && !isTimezone(zone), 'RULESET_ZONE')
  refuseIf(zone !== undefined && name === 'RRULE', 'RULESET_ZONE_OF_RULE')
  return { name, zone: zone ?? null, value }
}

function readStart(lines: Line[], parts: Parts): { start: number; startText: string } {
  const starts = lines.filter((line) => line.name === 'DTSTART')
  const inside = parts.get('DTSTART')
  if (inside !== undefined) {
    starts.push({ name: 'DTSTART', zone: null, value: inside })
  }
  refuseIf(starts.length !== 1, 'RULESET_ONE_DTSTART')
  const { zone, value } = starts[0] as Line
  const start = readTime(value, zone)
  const startText = zone === null ? `DTSTART:${renderTime(start)}` : `DTSTART;TZID=${zone}:${value}`
  return { start, startText }
}

function readParts(text: string): Parts {
  const parts: Parts = new Map()
  for (const part of text.split(';')) {
    const [name, value, ...rest] = part.split('=') as [string, string?, ...string[]]
    refuseIf(!value || rest.length > 0, 'RULESET_PART')
    refuseIf(!partNames.includes(name), 'RULESET_PART_UNKNOWN', { part: name })
    refuseIf(parts.has(name), 'RULESET_PART_REPEATED', { part: name })
    parts.set(name, value as string)
  }
  return parts
}

function readRule(parts: Parts): Omit<Rule, 'start' | 'startText' | 'added' | 'removed'> {
  const frequency = parts.get('FREQ') as Frequency
  refuseIf(!frequencies.includes(frequency), 'RULESET_FREQUENCY')
  const weekStart = weekdayNames.indexOf(parts.get('WKST') ?? 'MO')
  refuseIf(weekStart === -1, 'RULESET_WEEK_START')
  const until = parts.get('UNTIL')
  const weekdays = readWeekdays(parts.get('BYDAY'))
  const numbered = weekdays.some((day) => day.nth !== null)
  refuseIf(numbered && (frequency === 'DAILY' || frequency === 'WEEKLY'), 'RULESET_NUMBERED_DAY')
  refuseIf(parts.has('BYWEEKNO') && frequency !== 'YEARLY', 'RULESET_WEEK_NUMBER')
  return {
    frequency,
    interval: readNumbers(parts, 'INTERVAL', { min: 1, max: countMax })[0] ?? null,
    weekStart,
    count: readNumbers(parts, 'COUNT', { min: 1, max: countMax })[0] ?? null,
    until: until === undefined ? null : readTime(until, null),
    positions: readNumbers(parts, 'BYSETPOS', { min: -366, max: 366 }),
    months: readNumbers(parts, 'BYMONTH', { min: 1, max: 12 }),
    monthDays: readNumbers(parts, 'BYMONTHDAY', { min: -31, max: 31 }),
    yearDays: readNumbers(parts, 'BYYEARDAY', { min: -366, max: 366 }),
    weeks: readNumbers(parts, 'BYWEEKNO', { min: -53, max: 53 }),
    weekdays,
  }
}

function readNumbers(
  parts: Parts,
  name: string,
  { min, max }: { min: number; max: number },
): number[] {
  const texts = parts.get(name)?.split(',') ?? []
  refuseIf(texts.length > 1 && !name.startsWith('BY'), 'RULESET_ONE_NUMBER', { part: name })
  const outside = min < 0 ? 'RULESET_NUMBER_NOT_ZERO' : 'RULESET_NUMBER'
  return texts.map((text) => {
    const value = Number(text)
    const fits = /^[+-]?\d{1,5}$/.test(text) && value !== 0 && value >= min && value <= max
    refuseIf(!fits, outside, { part: name, min, max })
    return value
  })
}

function readWeekdays(text: string | undefined): Rule['weekdays'] {
  return (text?.split(',') ?? []).map((day) => {
    const match = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(day)
    const nth = match?.[1] === undefined ? null : Number(match[1])
    const fits = match !== null && nth !== 0 && Math.abs(nth ?? 1) <= 53
    refuseIf(!fits, 'RULESET_WEEKDAYS')
    return { weekday: weekdayNames.indexOf((match as RegExpExecArray)[2] as string), nth }
  })
}

/** Returns a time in ms. Without `Z` and timezone it is in UTC; a date without time is midnight. */
function readTime(text: string, zone: string | null): number {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/.exec(text)
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = match ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  const exists =
    !Number.isNaN(time) && renderTime(time) === `${year}${month}${day}T${hour}${minute}${second}Z`
  refuseIf(match === null, 'RULESET_TIME')
  refuseIf(!exists, 'RULESET_NO_SUCH_TIME', { text })
  refuseIf(!isYearInRange(Number(year)), 'RULESET_YEARS', { years: yearRange })
  refuseIf(zone !== null && text.endsWith('Z'), 'RULESET_TIME_ZONE')
  if (zone === null) return time
  return text.includes('T') ? fromLocal(time, zone) : startOfDay(time / dayMs, zone)
}

/** Returns a time in the format of rules (RFC 5545 3.3.5), in UTC. */
export function renderTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

function refuseIf<Code extends ReasonCode>(
  refused: boolean,
  ...said: Parameters<typeof say<Code>>
): void {
  if (refused) throw new SyntaxError(say(...said))
}

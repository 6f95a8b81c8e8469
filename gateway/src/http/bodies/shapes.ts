import { currencies } from '@coffer/kit/values/currency'
import { z } from 'zod'

/**
 * Keywords of JSON Schema that state for the OpenAPI document what a schema of `fields.ts` accepts
 * (docs/api/constraints.md). `characters` is no keyword: `inputSchema` adds it to the description.
 */
export type Shape = Readonly<Record<string, unknown>>

// Regular expressions of ECMA-262 with the flag u, as JSON Schema 2020-12 (6.4) asks. Without
// look-around and back-references, which the engines of some languages do not have.

/** Returns the shape of a text that has this form after trimming, instead of a former shape. */
export function formShape(form: string): Shape {
  return { pattern: trimmed(form), not: undefined, characters: undefined }
}

/** Returns the pattern of a text that has this form after trimming: `\s` is what trim() removes. */
function trimmed(form: string): string {
  return `^\\s*(?:${form})\\s*$`
}

/** Returns the pattern of texts with more than `max` characters after trimming. */
function longerThan(max: number): string {
  return `\\S[\\s\\S]{${max - 1},}\\S`
}

/** Returns the pattern of texts with `min` to `max` characters after trimming. */
function lengthPattern({ min, max }: Range): string {
  if (min > 1) return trimmed(`\\S[\\s\\S]{${min - 2},${max - 2}}\\S`)
  const filled = `\\S(?:[\\s\\S]{0,${max - 2}}\\S)?`
  return trimmed(min === 0 ? `(?:${filled})?` : filled)
}

interface Range {
  min: number
  max: number
}

/** `plain`: one line. `free`: with joiners too. `lines`: free, with tabs and line breaks. */
type Kind = 'plain' | 'free' | 'lines'

const visible = '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}'
const joiner = '[\\u200C\\u200D]'

/** Returns the pattern that finds what a text of this kind must not have. */
function forbiddenIn(kind: Kind): string {
  const blank = kind === 'lines' ? ' \\t\\r\\n' : ' '
  // Other blanks are accepted at the ends, where they are cut off.
  const blankWithin = `\\S[${blank}]*[^\\S${blank}]\\s*\\S`
  if (kind === 'plain') return `[^${visible}\\s]|${blankWithin}`
  return [
    `[^${visible}\\s\\u200C\\u200D]`,
    blankWithin,
    // A joiner follows a visible character, and unless that is a mark, it precedes one.
    `(?:^|[\\s\\u200C\\u200D])${joiner}`,
    `[^\\p{M}]${joiner}(?:[\\s\\u200C\\u200D]|$)`,
  ].join('|')
}

/** Returns the shape of a printable text, whose characters are counted after trimming. */
export function lineShape({ min, max }: Range, kind: Kind = 'plain'): Shape {
  return {
    ...lengthShape({ min, max }),
    not: { pattern: forbiddenIn(kind) },
  }
}

/** Returns the shape of any text, whose characters are counted after trimming. */
export function lengthShape({ min, max }: Range): Shape {
  const least = min === 0 ? 'at most ' : `${min} to `
  const characters = `${min === max ? '' : least}${max} characters`
  return { pattern: lengthPattern({ min, max }), characters }
}

/** Path within the app: one slash, and no second one behind it. */
export const appPathShape: Shape = {
  pattern: trimmed('/(?:[^/\\s]|[^/][\\s\\S]{0,297}\\S)?'),
  not: { pattern: forbiddenIn('plain') },
  characters: '1 to 300 characters',
}

/** Returns the shape of an email address, in lower case or in any. */
export function emailShape({ isLower }: { isLower: boolean }): Shape {
  const { source } = z.regexes.email
  const form = source.replace(/^\^|\$$/g, '')
  return {
    format: 'email',
    pattern: trimmed(isLower ? form.replaceAll('A-Z', '') : form),
    not: { pattern: '\\S{255}' },
    characters: 'at most 254 characters',
  }
}

/** Currencies that a bank account can have. */
export const currencyShape: Shape = { pattern: trimmed(currencies().join('|')) }

/** URL without query; a parser of URLs decides about the rest. */
export const urlShape: Shape = {
  format: 'uri',
  pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:[^?#]*\\??(?:#[\\s\\S]*)?\\s*$',
  not: { pattern: longerThan(2000) },
  characters: 'at most 2000 characters',
}

/** Returns the forms of day and month, with this text between them. */
function dayForm(separator: string): string {
  const forms = [
    ['(?:0[13578]|1[02])', '(?:0[1-9]|[12]\\d|3[01])'],
    ['(?:0[469]|11)', '(?:0[1-9]|[12]\\d|30)'],
    ['02', '(?:0[1-9]|[12]\\d)'],
  ]
  return `(?:${forms.map(([month, day]) => `${month}${separator}${day}`).join('|')})`
}

// The years 1900 to 2199 (docs/limits.md), and those of them without 29 February.
const year = '(?:19|2[01])\\d\\d'
const commonYear = '(?:1900|2100|\\d\\d(?:[02468][1-35-79]|[13579][013-57-9]))'
const time = '(?:[01]\\d|2[0-3])'

/** Calendar day of a query. */
export const dayShape: Shape = {
  format: 'date',
  pattern: `^${year}-${dayForm('-')}$`,
  not: { pattern: `^${commonYear}-02-29` },
}

/** RFC 3339 timestamp. The offset decides about a year only within a day of both bounds. */
export const timestampShape: Shape = {
  format: 'date-time',
  pattern: trimmed(
    `${year}-${dayForm('-')}[Tt]${time}:[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?` +
      `(?:[Zz]|[+\\-]${time}:[0-5]\\d)`,
  ),
  not: { pattern: `${commonYear}-02-29|1900-01-01.*\\+|2199-12-31.*-\\d\\d:\\d\\d\\s*$` },
}

/** Format of the days in a CSV file: year, month and day once each, with marks around them. */
export const dayFormatShape: Shape = {
  pattern: trimmed(`${mark()}(?:${orders(['YY(?:YY)?', 'MM?', 'DD?']).join('|')})${mark()}`),
  not: { pattern: `${longerThan(10)}|^\\s*\\S[\\s\\S]{0,3}\\S\\s*$` },
  characters: '6 to 10 characters',
}

function mark(): string {
  return '[.\\-/ ]*'
}

function orders(parts: string[]): string[] {
  if (parts.length === 0) return ['']
  return parts.flatMap((part) =>
    orders(parts.filter((other) => other !== part)).map((rest) =>
      rest === '' ? part : `${part}${mark()}${rest}`,
    ),
  )
}

/**
 * DTSTART and RRULE of RFC 5545 (docs/recurrence.md#rules-accepted). The pattern has the form of
 * each line and part, `not` their wrong combinations: one pattern for both would be too long.
 */
export function rulesetShape(lengthMax: number): Shape {
  return {
    pattern: `^\\s*(?:RRULE:|(?:${ruleTokens().join('|')})(?:[;\\n]|\\s*$))+$`,
    not: {
      anyOf: [
        { pattern: [...wrongLines, ...wrongParts, ...wrongTimes].join('|') },
        { pattern: longerThan(lengthMax) },
        { not: { pattern: 'DTSTART' } },
        { not: { pattern: 'FREQ=' } },
      ],
    },
    characters: `at most ${lengthMax} characters`,
  }
}

/** Returns the forms of date lines and of parts; a number has up to 5 digits, and is not 0. */
function ruleTokens(): string[] {
  const at = '(?:19|2[01])\\d\\d[01]\\d[0-3]\\d(?:T[0-2]\\d[0-5]\\d[0-5]\\dZ?)?'
  const zone = ';TZID=[A-Za-z][A-Za-z0-9_+\\-/]*'
  const weekday = '(?:MO|TU|WE|TH|FR|SA|SU)'
  const one = '0{0,4}[1-9]'
  const two = '0{0,3}[1-9]\\d'
  const to53 = '(?:[1-4]\\d|5[0-3])'
  const to366 = `[+\\-]?(?:${one}|${two}|0{0,2}(?:[12]\\d\\d|3[0-5]\\d|36[0-6]))`
  const several = (value: string) => `${value}(?:,${value})*`
  return [
    `(?:DTSTART|RDATE|EXDATE)(?:${zone})?:${several(at)}`,
    'FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)',
    `(?:INTERVAL|COUNT)=\\+?(?:${one}|${two}|0{0,2}[1-9]\\d\\d|0?[1-9]\\d{3}|10000)`,
    `WKST=${weekday}`,
    `(?:UNTIL|DTSTART)=${at}`,
    `(?:BYSETPOS|BYYEARDAY)=${several(to366)}`,
    `BYMONTH=${several(`\\+?(?:${one}|0{0,3}1[0-2])`)}`,
    `BYMONTHDAY=${several(`[+\\-]?(?:${one}|0{0,3}(?:[12]\\d|3[01]))`)}`,
    `BYWEEKNO=${several(`[+\\-]?(?:${one}|0{0,3}${to53})`)}`,
    `BYDAY=${several(`(?:[+\\-]?(?:0?[1-9]|${to53}))?${weekday}`)}`,
  ]
}

const wrongLines = [
  'DTSTART[\\s\\S]*DTSTART',
  'RRULE:[\\s\\S]*RRULE:',
  '\\SRRULE:',
  'RRULE:(?:\\s|$|RDATE|EXDATE|DTSTART[:;])',
  // A part outside the RRULE line, a date line inside, an empty part, several DTSTART times.
  '(?:^\\s*|\\n)[A-Z]+=',
  ';(?:DTSTART|RDATE|EXDATE)[:;]',
  '(?:DTSTART|RDATE|EXDATE)(?:;TZID=[^:]*)?:[^;\\n]*;',
  ';\\s*$',
  'DTSTART(?:;TZID=[^:]*)?:[^\\n]*,',
]

const partNames = ['FREQ', 'INTERVAL', 'WKST', 'COUNT', 'UNTIL', 'BYSETPOS', 'BYMONTH']
const wrongParts = [
  ...[...partNames, 'BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO', 'BYDAY'].map(
    (name) => `${name}=[^\\n]*${name}=`,
  ),
  'FREQ=(?:DAILY|WEEKLY)[^\\n]*BYDAY=[^;\\n]*\\d|BYDAY=[^;\\n]*\\d[^\\n]*FREQ=(?:DAILY|WEEKLY)',
  'FREQ=[DMW][^\\n]*BYWEEKNO|BYWEEKNO[^\\n]*FREQ=[DMW]',
]

/** Days that do not exist, hours above 23, and a Z beside a timezone. */
const wrongTimes = [
  '\\d{4}(?:00|1[3-9])\\d\\d|\\d{6}(?:00|3[2-9])|\\d{4}(?:(?:0[469]|11)31|023)',
  `${commonYear}0229`,
  '\\dT2[4-9]',
  ';TZID=[^:]*:[^\\n]*Z',
]

import { currencies } from '@coffer/kit/values/currency'
import { z } from 'zod'

/**
 * JSON Schema keywords for the OpenAPI document: which values, after the server has trimmed them, a
 * schema of `fields.ts` accepts (docs/api/constraints.md).
 */
export type Shape = Readonly<Record<string, unknown>>

// All patterns here are portable ECMA-262 regular expressions: without features that engines of
// other languages lack (look-around, back-references, Unicode properties), and with the same
// meaning with and without the flag `u`.

/**
 * Returns the shape for a pattern. Spread over another shape, it removes the bounds of the length.
 */
export function formShape(form: string): Shape {
  return { pattern: `^(?:${form})$`, minLength: undefined, maxLength: undefined }
}

interface Range {
  min: number
  max: number
}

/** Control characters; in texts of several lines, tabs and line breaks are allowed. */
const controls = {
  line: '\\x00-\\x1F\\x7F-\\x9F',
  lines: '\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F',
}

/**
 * Returns the shape of a printable text; it does not express rarer characters that the server
 * refuses.
 */
export function lineShape({ min, max }: Range, kind: keyof typeof controls = 'line'): Shape {
  const any = `[^${controls[kind]}]*`
  const visible = `[^${controls[kind]}\\s]`
  // Patterns with at least 0, 1 or 2 characters besides blanks at the ends, which the server trims.
  const forms = [any, `${any}${visible}${any}`, `${visible}${any}${visible}`]
  return { ...formShape(forms[Math.min(min, 2)] ?? any), ...lengthOf({ min, max }) }
}

/** A tag: one line without commas. */
export const tagShape: Shape = {
  ...formShape(`[^,${controls.line}]*[^,${controls.line}\\s][^,${controls.line}]*`),
  ...lengthOf({ min: 1, max: 50 }),
}

/** Returns the shape of a text that is not blank. */
export function filledShape({ min, max }: Range): Shape {
  return { pattern: '\\S', ...lengthOf({ min, max }) }
}

function lengthOf({ min, max }: Range): Shape {
  return { minLength: min === 0 ? undefined : min, maxLength: max }
}

/** Path within the app: begins with one slash, not with two. */
export const appPathShape: Shape = {
  ...formShape(`/(?:[^/${controls.line}][^${controls.line}]*)?`),
  ...lengthOf({ min: 1, max: 300 }),
}

/** Returns the shape of an email address, in lower case only or in any case. */
export function emailShape({ isLower }: { isLower: boolean }): Shape {
  const { source } = z.regexes.email
  const form = source.replace(/^\^|\$$/g, '')
  return {
    ...formShape(isLower ? form.replaceAll('A-Z', '') : form),
    format: 'email',
    maxLength: 254,
  }
}

/** Currencies that a bank account can have. */
export const currencyShape: Shape = formShape(currencies().join('|'))

/** Maximum length of a URL in UTF-16 units. */
export const urlLengthMax = 2_000

/** URL without a query. The pattern checks no more: the server checks the rest by a URL parser. */
export const urlShape: Shape = {
  ...formShape('[Hh][Tt][Tt][Pp][Ss]?:[^?#]*\\??(?:#[\\s\\S]*)?'),
  format: 'uri',
  maxLength: urlLengthMax,
}

/** URL without a fragment. The pattern checks no more: the server parses the rest of the URL. */
export const webhookUrlShape: Shape = {
  ...formShape('[Hh][Tt][Tt][Pp][Ss]?:[^#]*'),
  format: 'uri',
  maxLength: urlLengthMax,
}

/** Returns a pattern of month and day, in this order, with the separator between them. */
function dayForm(separator: string): string {
  const forms = [
    ['(?:0[13578]|1[02])', '(?:0[1-9]|[12]\\d|3[01])'],
    ['(?:0[469]|11)', '(?:0[1-9]|[12]\\d|30)'],
    ['02', '(?:0[1-9]|[12]\\d)'],
  ]
  return `(?:${forms.map(([month, day]) => `${month}${separator}${day}`).join('|')})`
}

// The years 1900 to 2199 (docs/limits.md), and the common years among them, without 29 February.
const year = '(?:19|2[01])\\d\\d'
const commonYear = '(?:1900|2100|\\d\\d(?:[02468][1-35-79]|[13579][013-57-9]))'
const time = '(?:[01]\\d|2[0-3])'

/** Calendar day in a query. */
export const dayShape: Shape = {
  format: 'date',
  pattern: `^${year}-${dayForm('-')}$`,
  not: { pattern: `^${commonYear}-02-29` },
}

/**
 * RFC 3339 timestamp of the years 1900 to 2199. On the first and the last day, the offset decides
 * the year in UTC.
 */
export const timestampShape: Shape = {
  ...formShape(
    `${year}-${dayForm('-')}[Tt]${time}:[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?` +
      `(?:[Zz]|[+\\-]${time}:[0-5]\\d)`,
  ),
  format: 'date-time',
  not: { pattern: `${commonYear}-02-29|1900-01-01.*\\+|2199-12-31.*-\\d\\d:\\d\\d$` },
}

/** Date format of a CSV file: year, month and day once each, with punctuation around them. */
export const dayFormatShape: Shape = {
  ...formShape(`${mark()}(?:${orders(['YY(?:YY)?', 'MM?M?', 'DD?']).join('|')})${mark()}`),
  ...lengthOf({ min: 6, max: 13 }),
}

function mark(): string {
  return '[.,\\-/ ]*'
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
 * DTSTART and RRULE of RFC 5545 (docs/recurrence.md#rules-accepted). `pattern` checks each line and
 * part, `not` excludes wrong combinations of them: one pattern for both would be too long.
 */
export function rulesetShape(lengthMax: number): Shape {
  return {
    pattern: `^(?:RRULE:|(?:${ruleTokens().join('|')})(?:[;\\n]|$))+$`,
    maxLength: lengthMax,
    not: {
      anyOf: [
        { pattern: [...wrongLines, ...wrongParts, ...wrongTimes].join('|') },
        { not: { pattern: 'DTSTART' } },
        { not: { pattern: 'FREQ=' } },
      ],
    },
  }
}

/** Returns patterns of the date lines of a ruleset, and of the parts of its RRULE. */
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
  // Wrong combinations: an RRULE part elsewhere, a date line within RRULE, an empty part, a list in
  // DTSTART.
  '(?:^|\\n)[A-Z]+=',
  ';(?:DTSTART|RDATE|EXDATE)[:;]',
  '(?:DTSTART|RDATE|EXDATE)(?:;TZID=[^:]*)?:[^;\\n]*;',
  ';$',
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

/** Invalid dates, hours above 23, and UTC (Z) together with a timezone. */
const wrongTimes = [
  '\\d{4}(?:00|1[3-9])\\d\\d|\\d{6}(?:00|3[2-9])|\\d{4}(?:(?:0[469]|11)31|023)',
  `${commonYear}0229`,
  '\\dT2[4-9]',
  ';TZID=[^:]*:[^\\n]*Z',
]

import fc from 'fast-check'
import { seed } from '../seed.ts'

/** Lengths on both sides of every bound of docs/limits.md. */
const lengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 72, 73, 100, 101, 200, 201, 254, 255, 256]
const longLengths = [300, 301, 1000, 1001, 2000, 2001]

const blanks = ['', ' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\ufeff', '\u3000', '  \u2003 ']

/** Characters that are no part of a line, or only in some places. */
const odd = [
  '\u0000',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u00ad',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u202e',
  '\u2060',
  '\ud800',
  '\ue000',
  '\u0378',
  ...blanks.slice(1),
]

function lines(): string[] {
  const sized = [...lengths, ...longLengths].flatMap((length) => {
    const text = 'a'.repeat(length)
    return [text, ` ${text}`, `${text}\u00a0\n`, `${' '.repeat(length)}a`, '👍'.repeat(length)]
  })
  const joined = [
    '👨‍👩‍👧',
    'می‌خواهم',
    '\u200d',
    'a\u200d',
    'e\u0301\u200d',
    'e\u0301\u200d\u200d',
    'a\u200d b',
  ]
  return [
    ...blanks,
    ...sized,
    ...joined.flatMap((one) => [one, ` ${one}\n`]),
    ...odd.flatMap((one) => [`${one}a`, `a${one}`, `a${one}b`, `a ${one} b`]),
  ]
}

const years = ['1850', '1900', '2000', '2023', '2024', '2100', '2250']
const lastDays = years.flatMap((year) => [
  `${year}-02-28T00:00:00Z`,
  `${year}-02-29T00:00:00Z`,
  `${year}-02-29`,
  `${year}-04-31`,
  `${year}-12-31`,
])

/** Returns the words of a text: parts between blanks. */
function words(text: string): string[] {
  return text.split(/\s+/)
}

const times = [
  ...lastDays,
  '2026-01-31 06:00:00Z',
  ...words(`2026-01-31T06:00:00Z 2026-01-31t06:00:00z 2026-01-31T06:00:00.123456789+05:30
    2026-01-31T06:00:00.1234567890Z 2026-01-31T06:00:00.Z 2026-01-31T06:00:00 2026-01-31
    2026-01-31T24:00:00Z 2026-01-31T23:59:60Z 2026-01-31T23:59:59-23:59
    2026-01-31T23:59:59-24:00 1899-12-31T23:59:59Z 1900-01-01T00:00:00Z
    1900-01-01T00:00:00+01:00 2199-12-31T23:59:59.999Z 2199-12-31T23:30:00-01:00
    2200-01-01T00:00:00Z`),
]

const start = 'DTSTART:20260131T060000Z'
const rule = `${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15`

const counts = ['', '0', '1', '+1', '-1', '00001', '000001', '9999', '10000', '10001', '1,2']
const days = words('0 1 -1 12 13 31 -31 32 53 54 366 -366 367 1,+2')
const listed = words('BYSETPOS BYMONTH BYMONTHDAY BYYEARDAY BYWEEKNO')

const ruleParts = [
  ...counts.flatMap((number) => [`INTERVAL=${number}`, `COUNT=${number}`]),
  ...days.flatMap((day) => listed.map((name) => `${name}=${day}`)),
  ...days.flatMap((day) => [`BYDAY=${day}MO`, `BYDAY=FR,${day}TU`]),
  ...words(`WKST=SU WKST=su BYDAY=MO BYHOUR=1 UNTIL=20270131 UNTIL=20270131T000000
    UNTIL=20270229T000000Z UNTIL=22000101 FREQ=DAILY DTSTART=20260131
    BYMONTH=1;BYMONTHDAY=1 BYMONTH=1;BYMONTH=2`),
]

const ruleLines = [
  '',
  start,
  ...words(`EXDATE:20260215T060000Z RDATE;TZID=Europe/Berlin:20260301T000000,20260302
    RDATE;TZID=Europe/Berlin:20260301T000000Z RDATE:18500101 EXDATE:20230229 EXDATE:20240229,
    RRULE:FREQ=DAILY EXRULE:FREQ=DAILY`),
]

const starts = words(`DTSTART:20260131 DTSTART:20260230 DTSTART:22500101
  DTSTART;TZID=UTC:20260131T000000`)

const rules = [
  rule,
  ` ${rule}\n`,
  rule.replace('\n', '\r\n'),
  rule.split('\n').reverse().join('\n'),
  'RRULE:FREQ=DAILY',
  'RRULE:DTSTART=20260131T000000Z;FREQ=DAILY',
  `${start}\nRRULE:INTERVAL=2`,
  ...starts.map((one) => `${one}\nRRULE:FREQ=DAILY`),
  ...ruleLines.flatMap((one) => [`${rule}\n${one}`, `${one}\n${rule}`]),
  ...words('YEARLY HOURLY monthly').map((frequency) => `${start}\nRRULE:FREQ=${frequency}`),
  ...words('DAILY MONTHLY YEARLY').flatMap((frequency) =>
    ruleParts.map((part) => `${start}\nRRULE:FREQ=${frequency};${part}`),
  ),
  ...ruleParts.map((part) => `${start}\nRRULE:${part};FREQ=WEEKLY`),
  `${rule}${'\nEXDATE:20270101'.repeat(58)}`,
  `${rule}${'\nEXDATE:20270101'.repeat(59)}`,
]

const ids = words('link fund spnd lfx lbac txix bac txn rule').flatMap((prefix) => {
  const id = `${prefix}_01kb1x3m5n7p9r2t4v6w8y0z1a`
  const changed = [id.replace('_0', '_8'), id.replace('1', 'i'), id.slice(1), `${id}1`]
  return [id, ` ${id}\n`, id.toUpperCase(), ...changed]
})

/** A code of ISO 4217 for no currency. */
const noCurrency = 'X'.repeat(3)

const others = [
  noCurrency,
  ` ${noCurrency} `,
  ...words('USD JPY usd XTS ZZZ US USDX BGN HRK EUR'),
  ...words(`pat@example.com Pat@example.com pat@EXAMPLE.com a..b@example.com .a@example.com
    o'b@example.com o'@example.com a@b a@b.c a@-b.com é@example.com`),
  `${'a'.repeat(242)}@example.com`,
  ` ${'a'.repeat(242)}@example.com`,
  `${'a'.repeat(243)}@example.com`,
  ...words('https://feed.example.com/v1 HTTP://x ftp://x https://x?a=1 https://x?#a http:'),
  ...words('/ // /a /a//b a /a\u0000 1234 123 12345 １２３４ 12a4 rowNumber rownumber'),
  `/${'a'.repeat(299)}`,
  `/${'a'.repeat(300)}`,
  'a b4',
  'DD. MM. YYYY',
  ...words('YYYY-MM-DD M/D/YY MM/DD YYYYMMDD YYY-MM-DD YY-M-D DD.MM.YYYY YYMD'),
  ...words('Europe/Berlin Etc/GMT+5 abc123 abc-123 null __proto__ 1e400 -0 true <script>'),
].flatMap((text) => [text, ` ${text}\n`])

/** Texts on both sides of the bounds of every kind of text. */
export const boundaryTexts: readonly string[] = [
  ...new Set([...lines(), ...times, ...rules, ...ids, ...others]),
]

/** Returns whether a text has characters that only the server refuses: rare blanks, joiners, … */
export function isRare(text: string): boolean {
  return /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cc} ]/u.test(text)
}

/** Generates boundary texts with one character inserted, replaced or removed. */
const mutated = fc
  .record({
    text: fc.constantFrom(...boundaryTexts.filter(({ length }) => length < 120)),
    place: fc.nat(),
    removed: fc.nat(1),
    put: fc.constantFrom('', 'a', 'Z', '0', '9', '-', ';', ',', ':', '=', '+', '/', ...odd),
  })
  .map(({ text, place, removed, put }) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + removed)
  })

const unit = fc.constantFrom('a', 'é', '👍', 'e\u0301', ' ', ...odd)

/** Generates texts near the bounds, at random. */
const randomTexts = fc.oneof(mutated, fc.string({ unit, maxLength: 12 }))

/** Texts that a test tries on each field: all boundaries, and as many random ones. */
export function sampledTexts(count: number): string[] {
  return [...boundaryTexts, ...fc.sample(randomTexts, { seed, numRuns: count })]
}

import { create } from '@bufbuild/protobuf'
import { dueAfter } from '@coffer/budgeting/contributions/due-dates'
import { occurrenceAfter, occurrencesOf } from '@coffer/budgeting/recurrence/recurrence'
import { problemsOfIssues } from '@coffer/gateway/http/errors/problems'
import { isInMidnightHour, localDay, midnightOf, readDay, startOfDay } from '@coffer/kit/values/day'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { dayMs, hourMs, toLocal } from '@coffer/kit/values/time'
import type { CsvMapping } from '@coffer/ledger/imports/formats/csv/csv-mapping'
import {
  type ReadingFormat,
  readStatementFile,
} from '@coffer/ledger/imports/formats/statement-file'
import { readListed, readRows } from '@coffer/ledger/syncs/provider-row'
import { rangeOf } from '@coffer/ledger/transactions/transaction-search'
import { ProviderTransactionSchema } from '@coffer/proto/ledger/v1/sync_import'
import { describe, expect, test } from '@jest/globals'
import { isLong } from '../seed.ts'

/** Years whose changes of the clock are compared: three in `npm test`. */
const [yearFirst, yearLast] = isLong ? [1900, 2199] : [2025, 2027]

/** Days of all kinds of change: midnight twice, no midnight, no day, an hour of the day before. */
const known: [string, string][] = [
  ['Atlantic/Azores', '2026-10-25'],
  ['America/Havana', '2026-11-01'],
  ['America/Scoresbysund', '2002-10-27'],
  ['America/St_Johns', '2006-10-29'],
  ['America/Toronto', '1919-03-31'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['Africa/Cairo', '2026-04-24'],
  ['Asia/Beirut', '2026-03-29'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kwajalein', '1993-08-21'],
  ['Pacific/Kiritimati', '1994-12-31'],
  ['Africa/Monrovia', '1972-01-07'],
]

const text = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns the days around each change of the clock in a timezone. */
function daysOf(timezone: string): number[] {
  const days = new Set(known.flatMap(([zone, day]) => (zone === timezone ? around(day) : [])))
  const offsetAt = (day: number) => toLocal(day * dayMs, timezone) - day * dayMs
  const last = Date.UTC(yearLast, 11, 31) / dayMs
  const weeks = Date.UTC(yearFirst, 0, 1) / dayMs
  for (let from = weeks; from < last; from += 7) {
    if (offsetAt(from) === offsetAt(from + 7)) continue
    const change = [0, 1, 2, 3, 4, 5, 6].find((n) => offsetAt(from + n) !== offsetAt(from + n + 1))
    for (const n of [-1, 0, 1, 2]) days.add(from + (change ?? 0) + n)
  }
  return [...days].sort((a, b) => a - b)
}

function around(day: string): number[] {
  const number = readDay(day) ?? Number.NaN
  return [number - 1, number, number + 1]
}

const mapping: CsvMapping = {
  headers: ['Day', 'Amount', 'Text'],
  id: { kind: 'native', fields: [{ derivedKind: 'rowNumber' }] },
  amount: { kind: 'sign', invert: false, fields: [{ name: 'Amount' }] },
  memo: { name: 'Text' },
  date: { fields: [{ name: 'Day' }], format: 'YYYY-MM-DD' },
  balance: { kind: 'none', fields: [] },
}

/** Content of a file of each format with one row per day. */
const files: { format: ReadingFormat; content: (days: string[]) => string }[] = [
  {
    format: { kind: 'ofx' },
    content: (days) => {
      const rows = days.map(
        (day) => `<STMTTRN><DTPOSTED>${day.replaceAll('-', '')}120000<TRNAMT>-1.00</STMTTRN>`,
      )
      const statement = `<STMTRS><BANKTRANLIST>${rows.join('')}</BANKTRANLIST></STMTRS>`
      return `OFXHEADER:100\n\n<OFX>${statement}</OFX>`
    },
  },
  {
    format: { kind: 'qif' },
    content: (days) => `!Type:Bank\n${days.map((day) => `D${day}\nT-1.00\n^`).join('\n')}\n`,
  },
  {
    format: { kind: 'camt053' },
    content: (days) => {
      const rows = days.map(
        (day) =>
          `<Ntry><Amt Ccy="USD">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>` +
          `<BookgDt><Dt>${day}</Dt></BookgDt></Ntry>`,
      )
      return `<Document><BkToCstmrStmt><Stmt>${rows.join('')}</Stmt></BkToCstmrStmt></Document>`
    },
  },
  {
    format: { kind: 'csv', delimiter: ',', headerRow: 1, headers: mapping.headers, mapping },
    content: (days) => `Day,Amount,Text\n${days.map((day) => `${day},1.00,x`).join('\n')}\n`,
  },
]

/** Returns the midnights (ms) that each way into Coffer has for the days, by name. */
function midnights(days: number[], timezone: string): Record<string, number[]> {
  const texts = days.map(text)
  const read = files.map(({ format, content }) => {
    const bytes = new TextEncoder().encode(content(texts))
    const settings = { currency: 'USD', timezone }
    const statement = readStatementFile({ bytes, settings, format })
    if ('unreadable' in statement) throw new Error(`${format.kind}: ${statement.unreadable}`)
    return [format.kind, [...statement.rows].map(({ date }) => date.getTime())] as const
  })
  const synced = texts.map((date, index) =>
    create(ProviderTransactionSchema, { providerTransactionId: `${index}`, date, amount: 1n }),
  )
  const rows = readRows(synced.slice(0, 500), { providerAccountId: 'a', timezone }).rows
  const rest = readRows(synced.slice(500, 1000), { providerAccountId: 'a', timezone }).rows
  return {
    ...Object.fromEntries(read),
    synced: [...rows, ...rest].map(({ date }) => date.getTime()),
    filter: texts.map((from) => rangeOf({ from, to: null, after: null }, timezone).from.getTime()),
    problem: texts.map((day) => midnightInProblem(day, timezone)),
    rule: texts.map((day) => startOfRule(day, timezone)),
  }
}

function midnightInProblem(day: string, timezone: string): number {
  const issue = { code: 'custom' as const, path: ['date'], message: '', params: { day } }
  const problem = problemsOfIssues([{ ...issue, input: day }], timezone).date
  return Date.parse(/send (\S+),/.exec(String(problem))?.[1] ?? '')
}

function startOfRule(day: string, timezone: string): number {
  const start = `DTSTART;TZID=${timezone}:${day.replaceAll('-', '')}`
  const read = readRuleset(`${start}\nRRULE:FREQ=YEARLY`)
  return 'rule' in read ? read.rule.start : Number.NaN
}

const changing = Intl.supportedValuesOf('timeZone')
  .map((timezone) => ({ timezone, days: daysOf(timezone) }))
  .filter(({ days }) => days.length > 0)

test('a thousand days around changes of the clock are compared', () => {
  expect(changing.length).toBeGreaterThan(100)
  expect(changing.flatMap(({ days }) => days).length).toBeGreaterThan(1000)
})

describe('all ways into Coffer have one midnight of a day (docs/recurrence.md)', () => {
  test('it is the first instant of the day, by the formatter of the runtime', () => {
    const wrong = changing.flatMap(({ timezone, days }) => {
      const format = new Intl.DateTimeFormat('sv', { timeZone: timezone })
      return days.flatMap((day) => {
        const start = startOfDay(day, timezone)
        const name = format.format(start)
        // A day that clocks skip begins with the day after it.
        const isFirst = [1, hourMs, 2 * hourMs].every((ms) => format.format(start - ms) < text(day))
        return isFirst && name >= text(day) ? [] : [`${timezone} ${text(day)}`]
      })
    })
    expect(wrong).toEqual([])
  })

  test('typed, from a file of each format, synced, filtered or as the start of a rule', () => {
    const wrong = changing.flatMap(({ timezone, days }) => {
      const expected = days.map((day) => startOfDay(day, timezone))
      return Object.entries(midnights(days, timezone)).flatMap(([name, found]) =>
        `${found}` === `${expected}` ? [] : [`${timezone}: ${name}`],
      )
    })
    expect(wrong).toEqual([])
  })

  test('of every instant of the day, of midnight itself, and of an occurrence on the day', () => {
    const wrong = changing.flatMap(({ timezone, days }) => {
      const rule = `DTSTART:${text(days[0] ?? 0).replaceAll('-', '')}T120000Z\nRRULE:FREQ=DAILY`
      return days.flatMap((day) => {
        const start = startOfDay(day, timezone)
        const end = startOfDay(day + 1, timezone)
        const instants = [start, start + 1, start + 1.5 * hourMs, (start + end) / 2, end - 1]
        const within = instants.filter((at) => localDay(at, timezone) === day)
        const moved = within.filter((at) => midnightOf(new Date(at), timezone).getTime() !== start)
        const due = start < end ? dueAfter(rule, timezone, start - 1) : start
        const isDue = due === null || due === start || localDay(due, timezone) !== day
        const isHour = isInMidnightHour(new Date(start), timezone)
        return moved.length === 0 && isDue && isHour ? [] : [`${timezone} ${text(day)}`]
      })
    })
    expect(wrong).toEqual([])
  })
})

test('a rule at midnight recurs at midnight', () => {
  const wrong = changing.flatMap(({ timezone, days: [first = 0, ...days] }) => {
    const start = new Date(startOfDay(first - 30, timezone)).toISOString()
    const occurrences = occurrencesOf(
      `DTSTART:${start.replaceAll(/[-:]|\.000/g, '')}\nRRULE:FREQ=DAILY`,
      timezone,
    )
    return days
      .filter((day) => {
        const midnight = startOfDay(day, timezone)
        return occurrenceAfter(occurrences, midnight - 1) !== midnight
      })
      .map((day) => `${timezone} ${text(day)}`)
  })
  expect(wrong).toEqual([])
})

test('a whole day of a feed has the rows of both midnights of earlier releases', () => {
  const timezone = 'America/Havana'
  const call = { transactions: [], wholeDays: ['2026-11-01'] }
  const { wholeDays } = readListed(call, { timezone, issuer: 'feed-sync' })
  const stored = ['2026-11-01T04:00Z', '2026-11-01T05:00Z', '2026-11-02T05:00Z'].map(Date.parse)
  expect(stored.map((at) => wholeDays.has(localDay(at, timezone)))).toEqual([true, true, false])
})

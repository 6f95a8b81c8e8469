import { decimalPlaces } from '@coffer/kit/values/currency'
import { type DecimalMark, detectDecimalMark, readWrittenAmount } from '../amount-text.ts'
import { type DayOrder, detectDayOrder, readWrittenDay } from '../day-text.ts'
import { decodeFile } from '../file-text.ts'
import {
  type FileStatement,
  noBalances,
  type ReadingSettings,
  type SkippedRow,
  type SkipReason,
  type Unreadable,
} from '../statement.ts'
import { nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { midnightOn, rowsMax } from '../statement-values.ts'

/** The fields of a QIF record, keyed by letter; only the first field of a repeated letter. */
type QifRecord = Readonly<Record<string, string>>

/** Consecutive records of a kind such as `Bank`; `account` is empty if the file names none. */
type QifSection = { kind: string; account: string; records: QifRecord[] }

/** Maximum length of a line in characters, far more than banks write; longer lines are cut. */
const LINE_LENGTH_MAX = 10_000

type RowSettings = {
  currency: string
  places: number
  timezone: string
  mark: DecimalMark
  order: DayOrder
}

const ACCOUNT_KIND = /^(?:Bank|CCard|Cash|Oth [AL])$/i
/** Currencies of countries that write the month first, the order assumed for ambiguous dates. */
const MONTH_FIRST = ['USD', 'CAD', 'PHP']

/**
 * Returns the rows of the account in a QIF file (docs/file-formats.md#qif); unreadable rows are in
 * `skipped`. Returns `Unreadable` for a malformed file or a file about several bank accounts.
 */
export function readQif(bytes: Uint8Array, settings: ReadingSettings): FileStatement | Unreadable {
  const sections = readQifSections(decodeFile(bytes))
  const ours = sections.filter(({ kind }) => ACCOUNT_KIND.test(kind))
  if (ours.length === 0) {
    const held = sections.length > 0 && 'The file holds no transactions of a bank account or a card'
    return { unreadable: held || 'This is not a QIF file' }
  }
  const filled = ours.filter(({ records }) => records.length > 0)
  const accounts = new Set(filled.map(({ kind, account }) => `${kind.toLowerCase()} ${account}`))
  if (accounts.size > 1) {
    return { unreadable: `The file holds ${accounts.size} accounts: export one account per file` }
  }
  const records = filled.flatMap((section) => section.records)
  if (records.length > rowsMax) {
    return { unreadable: `The file has more than ${rowsMax} transactions` }
  }
  const { currency, timezone } = settings
  const places = decimalPlaces(currency)
  const rowSettings = {
    currency,
    places,
    timezone,
    mark: detectDecimalMark(records.map(amountOf), places),
    order: detectDayOrder(
      records.map(dayOf),
      MONTH_FIRST.includes(currency) ? 'month first' : 'day first',
    ),
  }
  return {
    currency,
    balances: noBalances,
    ...nameRows(records.map((record) => readRow(record, rowSettings))),
  }
}

/** Splits a QIF text into sections: `!` begins a header, a letter a field; `^` ends a record. */
function readQifSections(text: string): QifSection[] {
  const sections: QifSection[] = []
  let account = ''
  let fields: Record<string, string> = {}
  const endRecord = () => {
    const section = sections.at(-1)
    if (section !== undefined && Object.keys(fields).length > 0) {
      section.records.push(fields)
      account = section.kind === 'Account' ? (fields.N ?? account) : account
    }
    fields = {}
  }
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const written = line.trim().slice(0, LINE_LENGTH_MAX)
    if (written.startsWith('!')) {
      endRecord()
      startSection(sections, { header: written, account })
    } else if (written.startsWith('^')) {
      endRecord()
    } else if (written !== '') {
      const letter = written.charAt(0)
      fields[letter] ??= written.slice(1).trim()
    }
  }
  endRecord()
  return sections
}

/** Starts a section at a header, except `!Option:` and `!Clear:`, which have no records. */
function startSection(
  sections: QifSection[],
  { header, account }: { header: string; account: string },
): void {
  const [, kind] = /^!(?:Type:)?\s*(.+)$/i.exec(header) ?? []
  if (kind !== undefined && !/^(?:Option|Clear):/i.test(kind)) {
    sections.push({ kind: kind.trim(), account, records: [] })
  }
}

function amountOf(record: QifRecord): string {
  return record.T || record.U || ''
}

function dayOf(record: QifRecord): string {
  return record.D ?? ''
}

function readRow(record: QifRecord, settings: RowSettings): UnnamedRow | SkippedRow {
  const payee = record.P ?? ''
  const skipped = (reason: SkipReason) => ({ identifier: `${dayOf(record)} ${payee}`, reason })
  // QIF exports have the opening balance as a transaction from the account to itself.
  if (/^opening balance$/i.test(payee) && /^\[.*\]$/.test(record.L ?? '')) return skipped('balance')
  const amount = readWrittenAmount(amountOf(record), settings)
  if (amount === null) return skipped('amount')
  if (amount === 0n) return skipped('zero')
  const day = readWrittenDay(dayOf(record), settings.order)
  const date = day === null ? null : midnightOn(day, settings.timezone)
  if (day === null || date === null) return skipped('date')
  const number = record.N ?? ''
  const names = namesOf({
    name: payee,
    memo: record.M ?? '',
    description: /^\d+$/.test(number) ? `Check ${number}` : 'Transaction',
  })
  const { name, originalName } = names
  const written = `${day.year}-${day.month}-${day.day}`
  return {
    identifier: '',
    content: [written, amount, number, name, originalName].join(' '),
    row: { amount: -amount, date, ...names, isPending: false },
  }
}

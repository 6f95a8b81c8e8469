import { say } from '@coffer/kit/reasons/reasons'
import { decimalPlaces } from '@coffer/kit/values/currency'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { chooseDecimalMark } from '../amounts/decimal-mark.ts'
import { namesBalance } from '../balance-words.ts'
import { chooseDayOrder, type DayOrder, readWrittenDay } from '../day-text.ts'
import { type FileAccount, groupByAccount } from '../file-accounts.ts'
import { lineCounter, placeOf } from '../row-place.ts'
import { Pages } from '../rows/pages.ts'
import {
  type FileStatement,
  investments,
  type MadeChoice,
  noBalances,
  type ReadingSettings,
  type SkippedRow,
  type SkipReason,
  type Unreadable,
} from '../statement.ts'
import { nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { dayInContents, midnightOn, rowsMax } from '../statement-values.ts'
import { decodeFile, encodingOf } from '../text/file-text.ts'

/**
 * The fields of a QIF record by letter; of repeated letters only the first field. `line` is the
 * line of its first field. `isCut` if the file ends within a line of this record.
 */
type QifRecord = { fields: Readonly<Record<string, string>>; line: number; isCut: boolean }

/** Consecutive records of a kind such as `Bank`; `account` is empty if the file names none. */
type QifSection = {
  kind: string
  account: string
  records: Pages<QifRecord>
  /** Whether the last record lacks its end mark `^`, so that the file may be truncated. */
  isOpen?: boolean
}

/** Maximum length of a line in characters, far more than banks write; longer lines are cut. */
const LINE_LENGTH_MAX = 10_000

type RowSettings = AmountNotation & { timezone: string; order: DayOrder; account: string }

const ACCOUNT_KIND = /^(?:Bank|CCard|Cash|Oth [AL])$/i

/**
 * Returns the accounts of a QIF file (docs/file-formats.md#qif); unreadable rows are in `skipped`.
 * Returns `Unreadable` for a malformed file.
 */
export function readQifAccounts(
  bytes: Uint8Array,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const encoding = encodingOf(bytes, settings.stated?.encoding)
  const sections = readQifSections(decodeFile(bytes, encoding.value))
  const ours = sections.filter(({ kind }) => ACCOUNT_KIND.test(kind))
  if (ours.length === 0) {
    const kinds = [...new Set(sections.map(({ kind }) => kind.slice(0, 20)))].slice(0, 5).join(', ')
    if (sections.some(({ kind }) => /^Invst$/i.test(kind))) return investments
    const isOther = kinds !== ''
    return { unreadable: isOther ? say('FILE_OTHER_KINDS', { kinds }) : say('FILE_NOT_QIF') }
  }
  const countRows = (all: readonly QifSection[]) =>
    all.reduce((sum, { records }) => sum + records.length, 0)
  if (countRows(ours) > rowsMax) {
    return { unreadable: say('FILE_ROWS', { max: rowsMax }) }
  }
  const filled = ours.filter(({ records }) => records.length > 0)
  const { currency } = settings
  const groups = groupByAccount(filled.length === 0 ? ours.slice(0, 1) : filled, (section) => {
    return { number: section.account, kind: section.kind.toLowerCase(), currency }
  })
  return groups.map(({ parts, ...account }) => ({
    ...account,
    rowCount: countRows(parts),
    read: () => readSections(parts, { ...settings, account: account.number, encoding }),
  }))
}

function readSections(
  sections: readonly QifSection[],
  settings: ReadingSettings & { account: string; encoding: MadeChoice },
): FileStatement | Unreadable {
  const { currency, timezone, stated, account, encoding } = settings
  const places = decimalPlaces(currency)
  const notation = { currency, places, stated: stated?.decimalMark }
  const mark = chooseDecimalMark(fieldsOf(sections, amountOf), notation)
  if ('unreadable' in mark) return mark
  const days = chooseDayOrder([...fieldsOf(sections, dayOf)], stated?.dayFirst)
  if ('unreadable' in days) return days
  const { order, reason } = days
  const rowSettings = { currency, places, timezone, mark: mark.mark, order, account }
  return {
    currency,
    balances: noBalances,
    mark,
    choices: [encoding, { choice: 'dayFirst', value: String(order === 'day first'), reason }],
    isOpenEnded: sections.some(({ isOpen }) => isOpen),
    ...nameRows(
      fieldsOf(sections, (record) => ({
        ...readRow(record, rowSettings),
        place: () => placeOf(record.line, writtenOf(record)),
      })),
    ),
  }
}

/** Yields `partOf` of each record. */
function* fieldsOf<Part>(
  sections: readonly QifSection[],
  partOf: (record: QifRecord) => Part,
): Generator<Part> {
  for (const { records } of sections) for (const record of records) yield partOf(record)
}

/** Splits a QIF text into sections: `!` begins a header, a letter a field; `^` ends a record. */
function readQifSections(text: string): QifSection[] {
  const sections: QifSection[] = []
  let account = ''
  let fields: Record<string, string> = {}
  let line = 0
  const lineAt = lineCounter(text)
  const endRecord = ({ isCut } = { isCut: false }) => {
    const section = sections.at(-1)
    if (section !== undefined && Object.keys(fields).length > 0) {
      section.records.push({ fields, line, isCut })
      account = section.kind === 'Account' ? (fields.N ?? account) : account
    }
    fields = {}
  }
  for (const { 0: found, index } of text.matchAll(/[^\r\n]+/g)) {
    const written = found.trim().slice(0, LINE_LENGTH_MAX)
    if (written.startsWith('!')) {
      endRecord()
      startSection(sections, { header: written, account })
    } else if (written.startsWith('^')) {
      endRecord()
    } else if (written !== '') {
      const letter = written.charAt(0)
      if (Object.keys(fields).length === 0) line = lineAt(index)
      fields[letter] ??= written.slice(1).trim()
    }
  }
  // Many programs omit the last `^`, but never the last line break: without it, the record is cut.
  const last = sections.at(-1)
  if (last !== undefined && Object.keys(fields).length > 0) last.isOpen = true
  endRecord({ isCut: !/[\r\n]\s*$/.test(text) })
  return sections
}

/** Starts a section at a header, except `!Option:` and `!Clear:`, which have no records. */
function startSection(
  sections: QifSection[],
  { header, account }: { header: string; account: string },
): void {
  const [, kind] = /^!(?:Type:)?\s*(.+)$/i.exec(header) ?? []
  if (kind !== undefined && !/^(?:Option|Clear):/i.test(kind)) {
    sections.push({ kind: kind.trim(), account, records: new Pages() })
  }
}

function amountOf({ fields }: QifRecord): string {
  return fields.T || fields.U || ''
}

function dayOf({ fields }: QifRecord): string {
  return fields.D ?? ''
}

function writtenOf({ fields }: QifRecord): string {
  return Object.entries(fields)
    .map(([letter, text]) => `${letter}${text}`)
    .join(' ')
}

/**
 * Returns whether a record is a balance line: a transfer from the account to itself, a transfer
 * whose payee is a word for a balance, or a record without a category whose texts are such words.
 */
function isBalance({ fields }: QifRecord, account: string): boolean {
  const { L: category = '', P: payee = '', M: memo = '' } = fields
  const [, other] = /^\[(.*)\]$/.exec(category) ?? []
  if (other !== undefined && (other === account || namesBalance(payee))) return true
  const texts = [payee, memo].filter((text) => text !== '')
  return category === '' && texts.length > 0 && texts.every(namesBalance)
}

function readRow(record: QifRecord, settings: RowSettings): UnnamedRow | SkippedRow {
  const { fields } = record
  const payee = fields.P ?? ''
  const skipped = (reason: SkipReason) => ({ identifier: `${dayOf(record)} ${payee}`, reason })
  if (isBalance(record, settings.account)) return skipped('balance')
  const amount = readWrittenAmount(amountOf(record), settings)
  if (amount === null || record.isCut) return skipped('amount')
  if (amount === 0n) return skipped('zero')
  const day = readWrittenDay(dayOf(record), settings.order)
  const date = day === null ? null : midnightOn(day, settings.timezone)
  if (day === null || date === null) return skipped('date')
  const number = fields.N ?? ''
  const names = namesOf({
    name: payee,
    memo: fields.M ?? '',
    description: /^\d+$/.test(number) ? `Check ${number}` : 'Transaction',
  })
  const { name, originalName } = names
  const written = dayInContents(day)
  return {
    identifier: '',
    content: [written, amount, number, name, originalName].join(' '),
    row: { amount: -amount, date, ...names, isPending: false },
  }
}

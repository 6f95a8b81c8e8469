import { say } from '@coffer/kit/reasons/reasons'
import { isStoredOtherwise, type StoredBooking } from '../../known/joined-bookings.ts'
import { type FileAccount, groupByAccount } from '../file-accounts.ts'
import { detectKind, type FileKind } from '../file-kind.ts'
import { placeOf } from '../row-place.ts'
import { Pages } from '../rows/pages.ts'
import {
  type FileRow,
  type FileStatement,
  latestOf,
  type MadeChoice,
  type MarkChoice,
  type SkippedRow,
  type Unreadable,
} from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'
import { LEFT_OUT, unzip } from './zip-archive.ts'

/** The kinds of files that an archive may contain. */
export type ZippedKind = Extract<FileKind, 'ofx' | 'camt053' | 'mt940' | 'qif'>
type AccountsOf = (file: { bytes: Uint8Array; kind: ZippedKind }) => FileAccount[] | Unreadable
type ReadFile = FileStatement & { name: string }
type Part = { name: string; account: FileAccount }

const ZIPPED: readonly (FileKind | null)[] = [
  'ofx',
  'camt053',
  'mt940',
  'qif',
] satisfies ZippedKind[]

/**
 * Returns the bank accounts of all files in a ZIP archive (docs/file-formats.md#zip). `accountsOf`
 * parses a file; files are ordered by name, and all statements of an account are merged. Returns
 * `Unreadable` with the name of a file that is unreadable, an archive or of another kind.
 */
export function readZipAccounts(
  bytes: Uint8Array,
  accountsOf: AccountsOf,
): FileAccount[] | Unreadable {
  const entries = unzip(bytes, (name) => !LEFT_OUT.test(name))
  if ('unreadable' in entries) return entries
  const parts: Part[] = []
  for (const [name, content] of [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const kind = detectKind({ name, head: content })
    if (kind === 'csv') return inFile(name, say('ARCHIVED_TABLE'))
    if (!isZipped(kind)) return inFile(name, say('ARCHIVED_KIND'))
    const accounts = accountsOf({ bytes: content, kind })
    if ('unreadable' in accounts) return inFile(name, accounts.unreadable)
    parts.push(...accounts.map((account) => ({ name, account: named(account, name) })))
  }
  if (parts.length === 0) return { unreadable: say('ARCHIVE_EMPTY') }
  // The kind is ignored: files of one account in different formats may state or omit it.
  const groups = groupByAccount(parts, ({ account }) => ({ ...account, kind: null }))
  return groups.map(({ parts: own, number, currency }) => ({
    number,
    kind: own.map(({ account }) => account.kind).find(Boolean) ?? null,
    currency,
    rowCount: own.reduce((sum, { account }) => sum + account.rowCount, 0),
    read: () => readParts(own, currency),
  }))
}

/** Names an account after its file if the file has no account number, as in some QIF files. */
function named(account: FileAccount, path: string): FileAccount {
  if (account.number !== '') return account
  const file = path.split('/').at(-1) ?? path
  return { ...account, number: shownName(file.replace(/\.\w+$/, '')) }
}

function readParts(parts: readonly Part[], currency: string): FileStatement | Unreadable {
  const read: ReadFile[] = []
  for (const { name, account } of parts) {
    const statement = account.read()
    if ('unreadable' in statement) return { ...statement, ...inFile(name, statement.unreadable) }
    read.push({ ...statement, name: shownName(name) })
  }
  const merged = mergeRows(read)
  if (merged.rows.length > rowsMax) {
    return { unreadable: say('ARCHIVE_ROWS', { max: rowsMax }) }
  }
  const balances = latestOf(read.map((one) => one.balances))
  const isOpenEnded = read.some((one) => one.isOpenEnded)
  return { currency, balances, choices: choicesOf(read), isOpenEnded, ...merged }
}

/** Merges the choices of the files: the first file's, with a hint if another file differs. */
function choicesOf(all: readonly ReadFile[]): MadeChoice[] {
  const made = all.flatMap(({ name, choices = [], mark }) =>
    [...choices, ...markOf(mark)].map((one) => ({ ...one, name })),
  )
  return [...Map.groupBy(made, ({ choice }) => choice).values()].flatMap((list) => {
    const [first] = list
    if (first === undefined) return []
    const { choice, value, reason, name } = first
    const other = list.find((one) => one.value !== value)
    if (other === undefined) return [{ choice, value, reason }]
    return [
      {
        choice,
        value,
        reason: say('CHOICE_DIFFERS', { name, other: other.name, value: other.value }),
      },
    ]
  })
}

function markOf(made: MarkChoice | undefined): MadeChoice[] {
  return made ? [{ choice: 'decimalMark', value: made.mark, reason: made.reason }] : []
}

/**
 * Merges the rows of all files. Skips a row whose identifier or booking is in an earlier file,
 * where the booking may be one row or split into parts.
 */
function mergeRows(all: readonly ReadFile[]): Pick<FileStatement, 'rows' | 'skipped'> {
  const rows = new Pages<FileRow>()
  const identifiers = new Set<string>()
  const skipped: SkippedRow[] = []
  const bookings = new Map<string, StoredBooking>()
  for (const statement of all) {
    // Added only after all rows of the file, so that they are not compared with each other: a
    // payment and its fee may have the same reference.
    const booked: FileRow[] = []
    for (const row of statement.rows) {
      const { uploadIdentifier } = row
      if (!identifiers.has(uploadIdentifier) && !isStoredOtherwise(row, bookings)) {
        identifiers.add(uploadIdentifier)
        rows.push(row)
        if (row.booking) booked.push(row)
      } else {
        const where = placeOf(undefined, `${statement.name}: ${row.name}`)
        skipped.push({ identifier: uploadIdentifier, reason: 'duplicate', ...where })
      }
    }
    for (const row of booked) addBooking(bookings, row)
    for (const one of statement.skipped) {
      skipped.push({ ...one, ...placeOf(one.line, `${statement.name}: ${one.text ?? ''}`) })
    }
  }
  return { rows, skipped }
}

function addBooking(bookings: Map<string, StoredBooking>, row: FileRow): void {
  const { booking, uploadIdentifier, amount } = row
  if (booking === undefined) return
  const known = bookings.get(booking.identifier) ?? { ...booking, whole: null, parts: null }
  if (booking.isPart) {
    known.parts = (known.parts ?? 0n) + amount
  } else if (uploadIdentifier === booking.identifier) {
    known.whole = amount
  }
  bookings.set(booking.identifier, known)
}

function isZipped(kind: FileKind | null): kind is ZippedKind {
  return ZIPPED.includes(kind)
}

function inFile(name: string, reason: string): Unreadable {
  return { unreadable: say('FILE_IN_ARCHIVE', { name: shownName(name), fault: cut(reason, 200) }) }
}

function shownName(name: string): string {
  return cut(oneLine(name), 60) || 'a file'
}

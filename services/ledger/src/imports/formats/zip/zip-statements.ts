import { type StoredBooking, withoutStored } from '../../joined-bookings.ts'
import { detectKind, type FileKind } from '../file-kind.ts'
import { decodeFile } from '../file-text.ts'
import { placeOf } from '../row-place.ts'
import {
  type FileRow,
  type FileStatement,
  latestOf,
  type SkippedRow,
  type Unreadable,
} from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'
import { unzip } from './zip-archive.ts'

/** The kinds of files that an archive may hold, because they state their account. */
export type ZippedKind = Extract<FileKind, 'ofx' | 'camt053' | 'mt940'>
type ReadOne = (file: { bytes: Uint8Array; kind: ZippedKind }) => FileStatement | Unreadable
type ReadFile = FileStatement & { name: string }
type Named = { name: string; bytes: Uint8Array; kind: ZippedKind }

/** Files that programs put into archives beside those of the user. */
const LEFT_OUT = /(?:^|\/)(?:__MACOSX\/|\.|Thumbs\.db$|desktop\.ini$)/i
const ZIPPED: readonly (FileKind | null)[] = ['ofx', 'camt053', 'mt940'] satisfies ZippedKind[]

/**
 * Returns the statements of one bank account in a ZIP archive as one, in the order of their names;
 * `readOne` reads a file (docs/file-formats.md#zip). One unreadable file, an archive within, or a
 * file of another kind makes all unreadable, with its name.
 */
export function readZip(bytes: Uint8Array, readOne: ReadOne): FileStatement | Unreadable {
  const entries = unzip(bytes, (name) => !LEFT_OUT.test(name))
  if ('unreadable' in entries) return entries
  const files: Named[] = []
  for (const [name, content] of [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const kind = detectKind({ name, head: content })
    if (!isZipped(kind))
      return inFile(name, 'must be an OFX, CAMT or MT940 file to be in an archive')
    files.push({ name, bytes: content, kind })
  }
  return files.length === 0 ? { unreadable: 'The archive has no file' } : readAll(files, readOne)
}

function readAll(files: readonly Named[], readOne: ReadOne): FileStatement | Unreadable {
  const read: ReadFile[] = []
  const accounts = new Set<string>()
  for (const { name, bytes, kind } of files) {
    const statement = readOne({ bytes, kind })
    if ('unreadable' in statement) return inFile(name, statement.unreadable)
    read.push({ ...statement, name: shownName(name) })
    accounts.add(statement.account ?? accountOf(bytes))
  }
  if (accounts.size > 1) {
    return {
      unreadable: `The archive holds ${accounts.size} accounts: upload one account per file`,
    }
  }
  const [first, ...others] = read
  if (first === undefined || others.some(({ currency }) => currency !== first.currency)) {
    return { unreadable: 'The files of the archive are in different currencies' }
  }
  const merged = mergeRows(read)
  if (merged.rows.length > rowsMax) {
    return { unreadable: `The archive has more than ${rowsMax} transactions` }
  }
  const balances = latestOf(read.map((one) => one.balances))
  return { currency: first.currency, balances, ...merged }
}

/** Returns the rows of all files, without those that an earlier file has, whole or in parts. */
function mergeRows(all: readonly ReadFile[]): Pick<FileStatement, 'rows' | 'skipped'> {
  const rows = new Map<string, FileRow>()
  const skipped: SkippedRow[] = []
  const bookings = new Map<string, StoredBooking>()
  for (const statement of all) {
    const fresh = new Set(withoutStored(statement.rows, bookings))
    for (const row of statement.rows) {
      const { uploadIdentifier } = row
      if (fresh.has(row) && !rows.has(uploadIdentifier)) {
        rows.set(uploadIdentifier, row)
        addBooking(bookings, row)
      } else {
        const place = placeOf(undefined, `${statement.name}: ${row.name}`)
        skipped.push({ identifier: uploadIdentifier, reason: 'duplicate', ...place })
      }
    }
    for (const one of statement.skipped) {
      skipped.push({ ...one, ...placeOf(one.line, `${statement.name}: ${one.text ?? ''}`) })
    }
  }
  return { rows: [...rows.values()], skipped }
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

/** Returns the number of the account in an OFX file, which stands before its transactions. */
function accountOf(ofx: Uint8Array): string {
  return /<ACCTID>\s*([^<\r\n]*)/i.exec(decodeFile(ofx))?.[1]?.trim() ?? ''
}

function inFile(name: string, reason: string): Unreadable {
  return { unreadable: `In the archive, ${shownName(name)}: ${cut(reason, 120)}` }
}

function shownName(name: string): string {
  return cut(oneLine(name), 60) || 'a file'
}

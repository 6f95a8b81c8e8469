import { say } from '@coffer/kit/reasons/reasons'
import { detectKind, type FileKind } from '../file-kind.ts'
import type { Unreadable } from '../statement.ts'
import { decodeFile } from '../text/file-text.ts'
import { LEFT_OUT, unzip } from '../zip/zip-archive.ts'
import { readHtmlTable } from './html-table.ts'
import { readOds } from './ods.ts'
import {
  HEAD_LENGTH,
  isCompound,
  isSheet,
  isSpreadsheetXml,
  isZip,
  sheetDelimiter,
} from './sheet-kind.ts'
import { readSpreadsheetXml } from './spreadsheet-xml.ts'
import type { ChosenTable } from './table-rows.ts'
import { readXlsx } from './xlsx.ts'

/** The bytes of a sheet that becomes a CSV file, and the name of the one that is stated. */
export type SheetTask = { sheet: Uint8Array; name?: string | undefined }

/** A table as a CSV file, with the choice of its sheet; `chosen` is null for a CSV in a ZIP. */
export type ConvertedSheet = { csv: Uint8Array; chosen: Omit<ChosenTable, 'rows'> | null }

/**
 * Returns a table of a workbook (XLSX, XML), OpenDocument spreadsheet or HTML page, the `name`d or
 * the longest one, as a CSV file with tabs in UTF-8, or why it is unreadable. Pure, so a worker
 * thread can run it. The only file of a ZIP archive is read as if it were sent by itself.
 */
export function convertSheet({ sheet: bytes, name }: SheetTask): ConvertedSheet | Unreadable {
  const only = isZip(bytes) ? onlyFile(bytes) : null
  if (only && 'unreadable' in only) return only
  if (only && !isSheet(only)) return { csv: only, chosen: null }
  const table = readSheetRows(only ?? bytes, name)
  if ('unreadable' in table) return table
  const { rows, ...chosen } = table
  const lines = rows.map((cells) => cells.map(quoted).join(sheetDelimiter))
  return { csv: new TextEncoder().encode(lines.join('\n')), chosen }
}

/** Names of entries that only workbooks and other documents have. */
const PART = /^(?:\[Content_Types\]\.xml|mimetype|xl\/w.*|docProps\/.*)$|(?:^|\/)workbook\.xml$/i

/**
 * Returns the file of a ZIP archive that has one file, or null for a workbook, which is an archive
 * itself; `Unreadable` for other archives, one of statements and one within another included.
 */
function onlyFile(bytes: Uint8Array): Uint8Array | Unreadable | null {
  const names: string[] = []
  const listed = unzip(bytes, (name) => {
    if (!LEFT_OUT.test(name)) names.push(name)
    return false
  })
  if ('unreadable' in listed) return listed
  if (names.some((name) => PART.test(name))) return null
  const [name = ''] = names.length === 1 ? names : []
  const entries = unzip(bytes, (one) => one === name)
  if ('unreadable' in entries) return entries
  const only = entries.get(name)
  const isTable = only && !UPLOADED.includes(detectKind({ name, head: only }))
  return isTable ? only : { unreadable: say('ARCHIVE_NO_TABLE') }
}

/** The kinds of files that need no mapping; `zip` is an archive that is no workbook. */
const UPLOADED: readonly (FileKind | null)[] = ['ofx', 'camt053', 'mt940', 'qif', 'json', 'zip']

function readSheetRows(bytes: Uint8Array, name?: string): ChosenTable | Unreadable {
  if (isCompound(bytes)) {
    return { unreadable: say('WORKBOOK_OLD') }
  }
  if (isZip(bytes)) return isOpenDocument(bytes) ? readOds(bytes, name) : readXlsx(bytes, name)
  const text = decodeFile(bytes)
  const head = text.slice(0, HEAD_LENGTH)
  return isSpreadsheetXml(head) ? readSpreadsheetXml(text, name) : readHtmlTable(text, name)
}

/** Returns whether the first entry states the media type, as OpenDocument requires. */
function isOpenDocument(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  return head.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
}

function quoted(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell
}

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

/** The bytes of a spreadsheet to convert to CSV; `name` is the sheet that the client states. */
export type SheetTask = { sheet: Uint8Array; name?: string | undefined }

/** A CSV file, and the sheet it was converted from; `chosen` is null for a CSV file in a ZIP. */
export type ConvertedSheet = { csv: Uint8Array; chosen: Omit<ChosenTable, 'rows'> | null }

/**
 * Converts the table `name`, else the longest, of a workbook (XLSX, XML), OpenDocument spreadsheet
 * or HTML page to CSV with tabs in UTF-8; or returns `Unreadable`. A ZIP archive with one file
 * counts as that file. Pure, so a worker thread can run it.
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

/** Names of entries in office documents, such as workbooks. */
const PART = /^(?:\[Content_Types\]\.xml|mimetype|xl\/w.*|docProps\/.*)$|(?:^|\/)workbook\.xml$/i

/**
 * Returns the only file of a ZIP archive, or null if the archive itself is a workbook. Returns
 * `Unreadable` for other archives, and for one with a bank statement or another archive.
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

/**
 * Kinds of files that are no tables, so `onlyFile` refuses an archive with one of them. Workbooks,
 * which are ZIP archives too, have the kind `csv`.
 */
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

/** Checks the media type in the first entry of the archive, which OpenDocument requires. */
function isOpenDocument(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  return head.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
}

function quoted(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell
}

import { decodeFile } from '../file-text.ts'
import type { Unreadable } from '../statement.ts'
import { isZip } from '../zip/zip-archive.ts'
import { readHtmlTable } from './html-table.ts'
import { readOds } from './ods.ts'
import { readXlsx } from './xlsx.ts'

/** Number of bytes at the start of a file that are read to detect its kind. */
const HEAD_LENGTH = 4096
/** How the compound files begin that hold workbooks before 2007 and those with a password. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0]
/** Names of parts of a workbook, and the media type that an OpenDocument file begins with. */
const WORKBOOK = /\[Content_Types\]\.xml|xl\/w|_rels\/|docProps\/|mimetypeapplication\/vnd\.oasis/

/** The bytes of a sheet that becomes a CSV file. */
export type SheetTask = { sheet: Uint8Array }

/** Returns whether a file is a sheet or an HTML page, by its first bytes (docs/files.md#sheets). */
export function isSheet(head: Uint8Array): boolean {
  return isZip(head) || isCompound(head) || isHtml(head)
}

/** Returns whether a file is a sheet for sure: a ZIP archive only with the parts of a workbook. */
export function hasTable(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head)
  return isSheet(head) && (!isZip(head) || WORKBOOK.test(text))
}

/**
 * Returns the longest table of a workbook (XLSX), OpenDocument spreadsheet or HTML page as a CSV
 * file with tabs in UTF-8, or why it is unreadable. Pure, so a worker thread can run it.
 */
export function convertSheet(bytes: Uint8Array): Uint8Array | Unreadable {
  const rows = readSheetRows(bytes)
  if ('unreadable' in rows) return rows
  const lines = rows.map((cells) => cells.map(quoted).join(sheetDelimiter))
  return new TextEncoder().encode(lines.join('\n'))
}

/** The delimiter of converted sheets; cells have no tab, because each is one line of printables. */
export const sheetDelimiter = '\t' as const

function readSheetRows(bytes: Uint8Array): string[][] | Unreadable {
  if (isCompound(bytes)) {
    return { unreadable: 'An old .xls file or one with a password: save it as .xlsx or CSV' }
  }
  if (!isZip(bytes)) return readHtmlTable(decodeFile(bytes))
  return isOpenDocument(bytes) ? readOds(bytes) : readXlsx(bytes)
}

/** Returns whether the first entry states the media type, as OpenDocument requires. */
function isOpenDocument(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  return head.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
}

function isCompound(bytes: Uint8Array): boolean {
  return COMPOUND.every((byte, index) => bytes[index] === byte)
}

function isHtml(head: Uint8Array): boolean {
  const text = decodeFile(head.subarray(0, HEAD_LENGTH)).replace('\uFEFF', '').trimStart()
  return text.startsWith('<') && /<(?:!doctype html|html|table)[\s>]/i.test(text)
}

function quoted(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell
}

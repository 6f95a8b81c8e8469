import { decodeFile } from '../text/file-text.ts'

// The main thread loads this file, so it imports no parser: only worker threads parse files.

/** Number of bytes at the start of a file that are read to detect its kind. */
export const HEAD_LENGTH = 4096
/** Signature of OLE compound files: Excel workbooks before 2007, and those with a password. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0]
/** Names of parts of an XLSX workbook, and the media type at the start of OpenDocument files. */
const WORKBOOK = /\[Content_Types\]\.xml|xl\/w|_rels\/|docProps\/|mimetypeapplication\/vnd\.oasis/

/** Delimiter of converted sheets: cells are one line of printable characters, without tabs. */
export const sheetDelimiter = '\t' as const

/** Returns whether bytes begin with the signature of ZIP archives; XLSX and ODS have it, too. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/** Returns whether a file may be a spreadsheet or HTML page, by its head (docs/files.md#sheets). */
export function isSheet(head: Uint8Array): boolean {
  return isZip(head) || isCompound(head) || isMarkup(head)
}

/** Returns whether a file is a spreadsheet or HTML page; a ZIP archive needs a workbook's parts. */
export function hasTable(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head)
  return isSheet(head) && (!isZip(head) || WORKBOOK.test(text))
}

/** Returns whether a file is an OLE compound file, such as an old or encrypted Excel workbook. */
export function isCompound(bytes: Uint8Array): boolean {
  return COMPOUND.every((byte, index) => bytes[index] === byte)
}

/** Returns whether a text is a workbook in the XML format of Excel 2003, by its head. */
export function isSpreadsheetXml(head: string): boolean {
  return /<(?:\w+:)?Workbook\b[^>]*urn:schemas-microsoft-com:office:spreadsheet/.test(head)
}

function isMarkup(head: Uint8Array): boolean {
  const text = decodeFile(head.subarray(0, HEAD_LENGTH)).replace('\uFEFF', '').trimStart()
  const isHtml = /<(?:!doctype html|html|table)[\s>]/i.test(text)
  return text.startsWith('<') && (isHtml || isSpreadsheetXml(text))
}

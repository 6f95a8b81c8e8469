import { createHash } from 'node:crypto'
import type { FileRow, ReadRows, SkippedRow } from './statement.ts'

/**
 * A row without its upload identifier. `identifier` is the file's own; blank if the file has none.
 */
export type UnnamedRow = {
  identifier: string
  /**
   * Content that every export of the row repeats; by default day, amount and names. Rows with the
   * same `identifier` but different content are different transactions.
   */
  content?: string
  row: Omit<FileRow, 'uploadIdentifier'>
}

/**
 * Maximum length of a name in characters, more than banks write
 * (docs/file-formats.md#rules-for-every-format).
 */
const nameLengthMax = 300
/** Maximum length of a text in characters, more than banks write. */
export const textLengthMax = 2000
/** Maximum length of an identifier in characters: Postgres bounds the size of an index entry. */
const identifierLengthMax = 200

/**
 * Returns the rows with their upload identifiers (docs/file-formats.md#identifiers). The later of
 * two rows with the same identifier and content is skipped. A row without an identifier gets one
 * from its content and its number among equal rows: equal rows of one file are kept, and importing
 * the file again gives the same identifiers.
 */
export function nameRows(found: Iterable<UnnamedRow | SkippedRow>): ReadRows {
  const read: ReadRows = { rows: [], skipped: [] }
  const seen = new Map<string, string | undefined>()
  const equals = new Map<string, number>()
  for (const one of found) {
    if ('reason' in one) {
      read.skipped.push({ ...one, identifier: bounded(one.identifier) })
      continue
    }
    const identifier = bounded(one.identifier)
    const isRepeated = seen.has(identifier)
    if (isRepeated && seen.get(identifier) === one.content) {
      read.skipped.push({ identifier, reason: 'duplicate' })
      continue
    }
    const uploadIdentifier =
      identifier === '' || isRepeated ? numberedIdentifier(one, equals) : identifier
    seen.set(uploadIdentifier, one.content)
    read.rows.push({ uploadIdentifier, ...one.row })
  }
  return read
}

/**
 * Returns the three names of a row, without line breaks. The displayed name is the file's name,
 * else its memo, else a description; the original name is the memo, else the displayed name
 * (docs/file-formats.md#rules-for-every-format).
 */
export function namesOf(written: {
  name: string
  memo: string
  description: string
}): Pick<FileRow, 'name' | 'originalName' | 'originalMerchantName'> {
  const memo = cut(oneLine(written.memo), textLengthMax)
  const shown = cut(oneLine(written.name) || memo || oneLine(written.description), nameLengthMax)
  return { name: shown, originalName: memo || shown, originalMerchantName: shown }
}

/** Returns a text as one line, without control characters or repeated blanks. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .toWellFormed()
}

function numberedIdentifier({ row, content }: UnnamedRow, equals: Map<string, number>): string {
  const day = row.date.toISOString()
  const said = bounded(content ?? `${day} ${row.amount} ${row.name} ${row.originalName}`)
  const count = (equals.get(said) ?? 0) + 1
  equals.set(said, count)
  return `${said} #${count}`
}

function bounded(identifier: string): string {
  if (identifier.length <= identifierLengthMax) return identifier
  const digest = createHash('sha256').update(identifier).digest('hex')
  return `${cut(identifier, identifierLengthMax - digest.length - 1)} ${digest}`
}

/** Returns a text cut to `lengthMax` UTF-16 units, without splitting a character. */
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed()
}

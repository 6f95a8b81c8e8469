import { createHash } from 'node:crypto'
import type { FileRow, ReadRows, SkippedRow } from './statement.ts'

/** A row before it has a name. `identifier` is the file's own; blank where it has none. */
export type UnnamedRow = {
  identifier: string
  /**
   * What is the same whenever the row is exported again; by default what it says. Beside an
   * identifier: rows that differ in it are not the same, whatever the identifier says.
   */
  content?: string
  row: Omit<FileRow, 'uploadIdentifier'>
}

/** Names are bounded everywhere; no bank writes longer ones (`decisions.md` General). */
const nameLengthMax = 300
/** No bank writes longer texts. */
export const textLengthMax = 2000
/** Identifiers are indexed, and an index entry has a bounded size. */
const identifierLengthMax = 200

/**
 * Gives rows their identifiers. Of two rows with one identifier of the file the later is skipped
 * (`decisions.md` Ledger). A row without one is named by what it says and how many equal rows came
 * before it, so that equal rows of one file are kept and the same file is known again.
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
    const uploadIdentifier = identifier === '' || isRepeated ? countedName(one, equals) : identifier
    seen.set(uploadIdentifier, one.content)
    read.rows.push({ uploadIdentifier, ...one.row })
  }
  return read
}

/**
 * What a row is called: its name, or its memo, or the description where it has neither
 * (`spec/ledger.md` 6.4), each on one line.
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

/** A text without control characters and repeated blanks, as one line. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .toWellFormed()
}

function countedName({ row, content }: UnnamedRow, equals: Map<string, number>): string {
  const day = row.date.toISOString()
  const said = bounded(content ?? `${day} ${row.amount} ${row.name} ${row.originalName}`)
  const count = (equals.get(said) ?? 0) + 1
  equals.set(said, count)
  return `${said} #${count}`
}

function bounded(identifier: string): string {
  if (identifier.length <= identifierLengthMax) {
    return identifier
  }
  const digest = createHash('sha256').update(identifier).digest('hex')
  return `${cut(identifier, identifierLengthMax - digest.length - 1)} ${digest}`
}

/** A text that is no longer than that, whole characters only. */
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed()
}

import { createHash } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import { Pages } from './rows/pages.ts'
import type { FileBalances, FileRow, ReadRows, RowPlace, SkippedRow } from './statement.ts'

/** A row before it gets an upload identifier; `identifier` is the bank's, empty if it has none. */
export type UnnamedRow = {
  identifier: string
  /**
   * Text that distinguishes rows with an equal `identifier`, the same in every export. Required if
   * `identifier` is empty.
   */
  content?: string
  /** Whether the bank may give one identifier to several bookings. */
  isReusable?: boolean
  row: Omit<FileRow, 'uploadIdentifier' | 'reuse'>
}

/** A row or a skipped row; `place` returns its position in the file, for rows that are skipped. */
export type FoundRow = (UnnamedRow | SkippedRow) & { place?: () => RowPlace }

/** Maximum length of a name in characters, more than banks write. */
const nameLengthMax = 300
/** Maximum length of a memo or description in characters, more than banks write. */
export const textLengthMax = 2000
/** Maximum length in characters of the unreadable balance that a note quotes. */
const shownMax = 60
/** Maximum length of an identifier in characters: Postgres bounds the size of an index entry. */
const identifierLengthMax = 200

/**
 * Returns rows with upload identifiers that are the same at each import of the file
 * (docs/file-formats.md#identifiers). Skips the later of two rows with the same identifier of the
 * bank and equal `content`. Equal rows without an identifier are kept, and numbered.
 */
export function nameRows(found: Iterable<FoundRow>): ReadRows {
  const read: ReadRows = { rows: new Pages(), skipped: [] }
  const seen = new Map<string, string | undefined>()
  const others = new Map<string, Set<string | undefined>>()
  const equals = new Map<string, number>()
  let isPlain = true
  let hasDeposit = false
  for (const one of found) {
    if ('reason' in one) {
      const { reason, place } = one
      read.skipped.push({ identifier: bounded(one.identifier), reason, ...place?.() })
      continue
    }
    const identifier = bounded(one.identifier)
    const content = one.content && digestOf(one.content)
    const isRepeated = seen.has(identifier)
    const isEqual = seen.get(identifier) === content || others.get(identifier)?.has(content)
    if (isRepeated && isEqual) {
      read.skipped.push({ identifier, reason: 'duplicate', ...one.place?.() })
      continue
    }
    const uploadIdentifier =
      identifier === '' || isRepeated
        ? numberedIdentifier(one.content ?? identifier, equals)
        : identifier
    seen.set(uploadIdentifier, content)
    if (isRepeated) others.set(identifier, (others.get(identifier) ?? new Set()).add(content))
    const reuse = one.isReusable && {
      identifier,
      byContents: numberedIdentifier(one.content ?? identifier, new Map()),
    }
    read.rows.push({ uploadIdentifier, ...one.row, ...(reuse ? { reuse } : {}) })
    isPlain &&= !reuse && !one.row.booking && !one.row.corrects
    hasDeposit ||= one.row.amount < 0n
  }
  return isPlain ? { ...read, plain: { hasDeposit } } : read
}

/**
 * Returns the names of a row, each on one line and in NFC (Unicode, UAX 15). `name` and
 * `originalMerchantName` are the file's name, else its memo, else `description`. `originalName` is
 * the memo, else equal to `name`.
 */
export function namesOf(written: {
  name: string
  memo: string
  description: string
}): Pick<FileRow, 'name' | 'originalName' | 'originalMerchantName'> {
  const memo = composed(oneLine(written.memo), textLengthMax)
  const shown = oneLine(written.name) || memo || oneLine(written.description)
  const name = composed(shown, nameLengthMax)
  return { name, originalName: memo || name, originalMerchantName: name }
}

/** Normalizes a text for display. Identifiers are built from unnormalized texts instead. */
function composed(text: string, lengthMax: number): string {
  return cut(cut(text, lengthMax).normalize('NFC'), lengthMax)
}

/** Returns a text as one line, without control characters or repeated blanks. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .toWellFormed()
}

function numberedIdentifier(content: string, equals: Map<string, number>): string {
  const said = bounded(content)
  const count = (equals.get(said) ?? 0) + 1
  equals.set(said, count)
  return `${said} #${count}`
}

/** Returns a hash that replaces a long text in comparisons, which saves memory. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function bounded(identifier: string): string {
  if (identifier.length <= identifierLengthMax) return identifier
  const digest = createHash('sha256').update(identifier).digest('hex')
  return `${cut(identifier, identifierLengthMax - digest.length - 1)} ${digest}`
}

/** Returns a `note` that quotes the first balance whose text is no amount, if there is one. */
export function noteUnread(
  stated: readonly { text: string; amount: bigint | null }[],
): Pick<FileBalances, 'note'> {
  const unread = stated.find(({ text, amount }) => text !== '' && amount === null)
  if (unread === undefined) return {}
  return { note: say('BALANCE_UNREADABLE', { text: cut(unread.text, shownMax) }) }
}

/** Returns a text cut to `lengthMax` UTF-16 units, without splitting a character. */
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed()
}

import { say } from '@coffer/kit/reasons/reasons'
import type { ReadRows, SkippedRow, SkippedRows, SkipReason, Unreadable } from './statement.ts'
import { cut } from './statement-rows.ts'

/** Maximum length in characters of the unreadable row that a refusal quotes. */
const firstLengthMax = 60
/** Maximum number of rows listed for a reason; further rows are only counted. */
const shownMax = 10

/** Counts skipped rows by reason. */
export function countSkipped(skipped: readonly SkippedRow[]): SkippedRows[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, all]) => ({
    reason,
    count: all.length,
    rows: all.slice(0, shownMax).map(({ line = null, text = '' }) => ({ line, text })),
  }))
}

/** Adds rows to counted rows; the result equals that of `countSkipped` for all rows together. */
export function addSkipped(
  counted: readonly SkippedRows[],
  further: readonly SkippedRow[],
): SkippedRows[] {
  const all = new Map(counted.map((one) => [one.reason, one]))
  for (const { reason, count, rows } of countSkipped(further)) {
    const before = all.get(reason) ?? { count: 0, rows: [] }
    const shown = [...before.rows, ...rows].slice(0, shownMax)
    all.set(reason, { reason, count: before.count + count, rows: shown })
  }
  return [...all.values()]
}

/** Returns the number of skipped rows. */
export function sumSkipped(counted: readonly SkippedRows[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0)
}

/** Returns the message fields of skipped rows; `line` is unset for formats without lines. */
export function skippedParts(skipped: readonly SkippedRows[]) {
  return skipped.map(({ reason, count, rows }) => ({
    reason,
    count: BigInt(count),
    rows: rows.map(({ line, text }) => (line === null ? { text } : { line, text })),
  }))
}

/** Texts of the reasons that make a row unreadable; other reasons skip readable rows. */
const UNREAD: Partial<Record<SkipReason, string>> = {
  amount: say('ROW_AMOUNT'),
  date: say('ROW_DATE'),
  direction: say('ROW_DIRECTION'),
  currency: say('ROW_CURRENCY'),
  columns: say('ROW_COLUMNS'),
  identifier: say('ROW_IDENTIFIER'),
}

/** Returns `Unreadable` if a file has unreadable rows and no readable row, else null. */
export function noneRead({ rows, skipped }: ReadRows): Unreadable | null {
  const unread = skipped.filter(({ reason }) => UNREAD[reason] !== undefined)
  const [first] = unread
  if (rows.length > 0 || first === undefined) return null
  const { line, reason, text = '' } = first
  const said = {
    count: unread.filter((one) => one.reason === reason).length,
    rows: unread.length,
    fault: UNREAD[reason] ?? '',
    text: cut(text, firstLengthMax),
  }
  const unreadable =
    line === undefined ? say('RECORDS_UNREADABLE', said) : say('ROWS_UNREADABLE', { ...said, line })
  return { unreadable, skipped: countSkipped(skipped) }
}

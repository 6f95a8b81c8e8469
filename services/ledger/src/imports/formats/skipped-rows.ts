import { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { ReadRows, SkippedRow, SkipReason, Unreadable } from './statement.ts'
import { cut } from './statement-rows.ts'

/** Skipped rows of a file by reason, with the first of each (docs/files.md#counts). */
export const SkippedRows = z.object({
  reason: z.enum(values['SkippedRows.reason']),
  count: z.number(),
  rows: z.array(z.object({ line: z.number().nullable(), text: z.string() })),
})
export type SkippedRows = z.infer<typeof SkippedRows>

/** Maximum length of the first unread row in a refusal, in characters. */
const firstLengthMax = 60
/** Maximum number of rows that are shown for a reason. */
const shownMax = 10

/** Counts skipped rows by reason. */
export function countSkipped(skipped: readonly SkippedRow[]): SkippedRows[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, all]) => ({
    reason,
    count: all.length,
    rows: all.slice(0, shownMax).map(({ line = null, text = '' }) => ({ line, text })),
  }))
}

/** Returns skipped rows as messages have them; `line` is unset where the format has no lines. */
export function skippedParts(skipped: readonly SkippedRows[]) {
  return skipped.map(({ reason, count, rows }) => ({
    reason,
    count: BigInt(count),
    rows: rows.map(({ line, text }) => (line === null ? { text } : { line, text })),
  }))
}

/** Reasons for which a row cannot be read, in words; rows of other reasons are left out. */
const UNREAD: Partial<Record<SkipReason, string>> = {
  amount: 'without a readable amount',
  date: 'without a day of the calendar',
  direction: 'without the direction of the money',
  currency: 'in another currency',
  columns: 'with more cells than the table has columns',
  identifier: 'without an identifier',
}

/** Returns why a file with rows is unreadable if none of them can be read, else null. */
export function noneRead({ rows, skipped }: ReadRows): Unreadable | null {
  const unread = skipped.filter(({ reason }) => UNREAD[reason] !== undefined)
  const [first] = unread
  if (rows.length > 0 || first === undefined) return null
  const alike = unread.filter(({ reason }) => reason === first.reason).length
  const others = unread.length === alike ? '' : `, and ${unread.length - alike} others`
  const where = first.line === undefined ? '' : `, in line ${first.line}`
  const counts = `${alike} ${UNREAD[first.reason]}${others}`
  const text = cut(first.text ?? '', firstLengthMax)
  return {
    unreadable: `No row of the file can be read: ${counts}. The first${where}: ${text}`,
    skipped,
  }
}

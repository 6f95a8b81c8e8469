import type { FileRow, FileStatement, SkippedRow } from '../formats/statement.ts'

/** A stored transaction of a file, as the bank wrote it. */
export type StoredRow = Pick<FileRow, 'amount' | 'date' | 'originalName' | 'originalMerchantName'>

/** Days that a booking may move between two exports. */
const movedMs = 7 * 24 * 60 * 60_000

/** Returns all identifiers that decide about rows whose identifier the bank may use again. */
export function identifiersOf(rows: readonly FileRow[]): string[] {
  const all = rows.flatMap(({ reuse, corrects }) => [
    ...(reuse ? [reuse.identifier, reuse.byContents] : []),
    ...(corrects ? [corrects.identifier] : []),
  ])
  return [...new Set(all)]
}

/**
 * Returns the statement beside the stored rows of former files: a row whose identifier another
 * booking holds is a row of its own, and a correction of a stored row is skipped
 * (docs/file-formats.md#identifiers).
 */
export function besideStored(
  statement: FileStatement,
  stored: ReadonlyMap<string, StoredRow>,
): FileStatement {
  if (stored.size === 0) return statement
  const holders = holdersOf(statement.rows, stored)
  const rows: FileRow[] = []
  const skipped: SkippedRow[] = [...statement.skipped]
  for (const row of statement.rows) {
    const { corrects, reuse, uploadIdentifier: identifier } = row
    if (corrects && stored.has(corrects.identifier)) {
      skipped.push({ identifier, reason: 'correction', ...corrects.place })
    } else if (reuse && (stored.has(reuse.identifier) || stored.has(reuse.byContents))) {
      const isHolder = holders.get(reuse.identifier) === row && !stored.has(reuse.byContents)
      const { identifier: ofBank, byContents } = reuse
      rows.push({ ...row, uploadIdentifier: isHolder ? ofBank : byContents })
    } else {
      rows.push(row)
    }
  }
  return { ...statement, rows, skipped }
}

/** Returns for each stored identifier the row of the file that is its booking, if there is one. */
function holdersOf(
  rows: readonly FileRow[],
  stored: ReadonlyMap<string, StoredRow>,
): Map<string, FileRow> {
  const holders = new Map<string, { row: FileRow; differences: number }>()
  for (const row of rows) {
    const identifier = row.reuse?.identifier ?? ''
    const known = stored.get(identifier)
    if (known === undefined) continue
    const found = differences(row, known)
    const best = holders.get(identifier)?.differences ?? Number.POSITIVE_INFINITY
    // A bank may write one of them anew, and a user may change amount or day.
    if (found <= 1 && found < best) holders.set(identifier, { row, differences: found })
  }
  return new Map([...holders].map(([identifier, { row }]) => [identifier, row]))
}

/** Counts what differs of amount, texts and day. */
function differences(row: FileRow, known: StoredRow): number {
  const hasTexts =
    row.originalName === known.originalName &&
    row.originalMerchantName === known.originalMerchantName
  const isNear = Math.abs(row.date.getTime() - known.date.getTime()) <= movedMs
  return [row.amount === known.amount, hasTexts, isNear].filter((isEqual) => !isEqual).length
}

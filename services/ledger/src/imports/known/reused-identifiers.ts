import type { FileRow } from '../formats/statement.ts'

/** A stored transaction of a file, as the bank wrote it. */
export type StoredRow = Pick<
  FileRow,
  'amount' | 'date' | 'originalName' | 'originalMerchantName' | 'isPending'
>

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

/** Stored rows of former files that hold identifiers of rows of a file. */
export interface Holders {
  /** Those of the identifiers that are stored. */
  stored: Set<string>
  /** For each of them the row of the file that is its booking, by the identifier of the row. */
  rows: Map<string, { uploadIdentifier: string; hasTexts: boolean }>
}

/** Adds the stored rows of a page of rows to the holders. */
export function addHolders(
  holders: Holders,
  rows: readonly FileRow[],
  stored: ReadonlyMap<string, StoredRow>,
): void {
  for (const identifier of stored.keys()) holders.stored.add(identifier)
  for (const row of rows) {
    const identifier = row.reuse?.identifier ?? ''
    const known = stored.get(identifier)
    if (known === undefined) continue
    const hasTexts = hasSameTexts(row, known)
    if (!isSameBooking(row, known, hasTexts)) continue
    // Of several rows of the file the first with the texts of the stored one is its booking.
    const holder = holders.rows.get(identifier)
    if (holder !== undefined && (holder.hasTexts || !hasTexts)) continue
    holders.rows.set(identifier, { uploadIdentifier: row.uploadIdentifier, hasTexts })
  }
}

/**
 * Returns a row beside the stored ones: one whose identifier another booking holds is a row of its
 * own. Returns null for the correction of a stored row (docs/file-formats.md#identifiers).
 */
export function besideStored(row: FileRow, { stored, rows }: Holders): FileRow | null {
  const { corrects, reuse } = row
  if (corrects && stored.has(corrects.identifier)) return null
  if (!reuse || !(stored.has(reuse.identifier) || stored.has(reuse.byContents))) return row
  const { identifier: ofBank, byContents } = reuse
  const isHolder = rows.get(ofBank)?.uploadIdentifier === row.uploadIdentifier
  return { ...row, uploadIdentifier: isHolder && !stored.has(byContents) ? ofBank : byContents }
}

/**
 * Whether amount and day are those of the stored row: a bank may write its texts anew. With the
 * same texts the day may have moved, as that of a pending booking does, which may change both.
 */
function isSameBooking(row: FileRow, known: StoredRow, hasTexts: boolean): boolean {
  const moved = Math.abs(row.date.getTime() - known.date.getTime())
  return row.amount === known.amount && moved <= (hasTexts || known.isPending ? movedMs : 0)
}

function hasSameTexts(row: FileRow, known: StoredRow): boolean {
  return (
    row.originalName === known.originalName &&
    row.originalMerchantName === known.originalMerchantName
  )
}

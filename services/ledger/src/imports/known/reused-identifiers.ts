import type { FileRow } from '../formats/statement.ts'

/** A stored row of an earlier file, with the bank's texts. */
export type StoredRow = Pick<
  FileRow,
  'amount' | 'date' | 'originalName' | 'originalMerchantName' | 'isPending'
>

/** Maximum difference between the dates of one booking in two exports. */
const movedMs = 7 * 24 * 60 * 60_000

/** Returns all identifiers to look up: those the bank may reuse, and those of corrected rows. */
export function identifiersOf(rows: readonly FileRow[]): string[] {
  const all = rows.flatMap(({ reuse, corrects }) => [
    ...(reuse ? [reuse.identifier, reuse.byContents] : []),
    ...(corrects ? [corrects.identifier] : []),
  ])
  return [...new Set(all)]
}

/** The owners of identifiers that both stored rows and rows of the file have. */
export interface Holders {
  /** The identifiers that are stored. */
  stored: Set<string>
  /** By stored identifier, the row of the file that is the same booking. */
  rows: Map<string, { uploadIdentifier: string; hasTexts: boolean }>
}

/** Adds the stored identifiers to `holders`, and the rows of a page that are the same bookings. */
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
    // Of several matching rows, the first with the texts of the stored row is the booking.
    const holder = holders.rows.get(identifier)
    if (holder !== undefined && (holder.hasTexts || !hasTexts)) continue
    holders.rows.set(identifier, { uploadIdentifier: row.uploadIdentifier, hasTexts })
  }
}

/**
 * Returns a row with its final identifier: made from its contents if another booking has the bank's
 * identifier. Returns null for the correction of a stored row (docs/file-formats.md#identifiers).
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
 * Returns whether a row is the same booking as a stored row: the amount is equal, and the day, but
 * texts may differ. If the texts are equal, or the stored row is pending, the day may differ by up
 * to a week.
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

import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { UploadKey } from '../../book/upload-key.ts'
import { inTurns } from '../formats/rows/page-turns.service.ts'
import type { FileRow, FileStatement, SkippedRow } from '../formats/statement.ts'
import { listStoredBookings } from './joined-bookings.sql.ts'
import { bookingsOf, isStoredOtherwise, type StoredBooking } from './joined-bookings.ts'
import { listStoredRows } from './reused-identifiers.sql.ts'
import { addHolders, besideStored, type Holders, identifiersOf } from './reused-identifiers.ts'

/** Result of the comparison of a file's rows with the stored rows of earlier files. */
export interface KnownRows {
  /** The rows that correct stored rows; they are skipped. */
  corrections: SkippedRow[]
  /** Whether a row of the file is a deposit. */
  hasDeposit: boolean
  /** Omits corrections; gives rows another identifier if theirs is stored for another booking. */
  resolve: (rows: readonly FileRow[]) => FileRow[]
  /** Returns whether the booking of a row is stored split differently, whole or in parts. */
  isStoredOtherwise: (row: FileRow) => boolean
}

/**
 * Compares the rows of a file with stored rows, in a first pass over all pages: a later row may be
 * a better match for a stored booking. Skips the pass for a file with `plain`, because there the
 * identifiers alone decide which rows are stored.
 */
export async function compareWithStored(
  tx: Tx,
  key: Pick<UploadKey, 'accountId' | 'bankAccountId'>,
  { rows, plain }: Pick<FileStatement, 'rows' | 'plain'>,
): Promise<KnownRows> {
  const holders: Holders = { stored: new Set(), rows: new Map() }
  const bookings = new Map<string, StoredBooking>()
  const corrections: SkippedRow[] = []
  let hasDeposit = plain?.hasDeposit ?? false
  for await (const page of inTurns(plain ? [] : rows.pages())) {
    addHolders(holders, page, await listStoredRows(tx, key, identifiersOf(page)))
    const stored = await listStoredBookings(tx, key, bookingsOf(page))
    for (const [identifier, one] of stored) bookings.set(identifier, one)
    for (const { uploadIdentifier: identifier, corrects } of page) {
      if (!corrects || !holders.stored.has(corrects.identifier)) continue
      corrections.push({ identifier, reason: 'correction', ...corrects.place })
    }
    hasDeposit ||= page.some(({ amount }) => amount < 0n)
  }
  return {
    corrections,
    hasDeposit,
    resolve: (page) => page.flatMap((row) => besideStored(row, holders) ?? []),
    isStoredOtherwise: (row) => isStoredOtherwise(row, bookings),
  }
}

import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { UploadKey } from '../../book/upload-key.ts'
import { inTurns } from '../formats/rows/page-turns.service.ts'
import type { FileRow, FileStatement, SkippedRow } from '../formats/statement.ts'
import { listStoredBookings } from './joined-bookings.sql.ts'
import { bookingsOf, isStoredOtherwise, type StoredBooking } from './joined-bookings.ts'
import { listStoredRows } from './reused-identifiers.sql.ts'
import { addHolders, besideStored, type Holders, identifiersOf } from './reused-identifiers.ts'

/** Result of the comparison of the rows of a file with those of former files. */
export interface KnownRows {
  /** The rows that correct stored ones: they are skipped. */
  corrections: SkippedRow[]
  /** Whether money comes in by a row of the file. */
  hasDeposit: boolean
  /** Returns rows of the file beside the stored ones, without the corrections. */
  resolve: (rows: readonly FileRow[]) => FileRow[]
  /** Returns whether the booking of a row is stored in another form. */
  isStoredOtherwise: (row: FileRow) => boolean
}

/**
 * Compares the rows of a file with the stored ones: a first pass, because a row may be the booking
 * that another row of the file seems to be. Reads one page of rows at a time, none of plain ones.
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

import type { FileRow } from '../formats/statement.ts'

/** Amounts in minor units of a stored booking: as one row, and the sum of its parts; or null. */
export type StoredBooking = { identifier: string; whole: bigint | null; parts: bigint | null }

/** Returns the identifiers of the bookings that rows are, or are parts of, each once. */
export function bookingsOf(rows: readonly FileRow[]): string[] {
  return [...new Set(rows.flatMap(({ booking }) => booking?.identifier ?? []))]
}

/**
 * Returns whether the booking of a row is stored in the other form: as one row where the file has
 * parts, or in parts. An equal amount is required, because banks give one reference to a payment
 * and its fee (docs/file-formats.md#camt).
 */
export function isStoredOtherwise(
  { booking }: FileRow,
  stored: ReadonlyMap<string, StoredBooking>,
): boolean {
  const known = booking && stored.get(booking.identifier)
  if (!known) return false
  if (booking.isPart) return known.whole === booking.amount
  // Beside parts, the stored row is that of the fee, which has the reference in this form too.
  return known.parts !== null && [known.parts, known.whole].includes(booking.amount)
}

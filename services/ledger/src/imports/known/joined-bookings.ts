import type { FileRow } from '../formats/statement.ts'

/** Amounts of a stored booking in minor units: of its single row, and the sum of its part rows. */
export type StoredBooking = { identifier: string; whole: bigint | null; parts: bigint | null }

/** Returns the distinct identifiers of the bookings to which rows belong. */
export function bookingsOf(rows: readonly FileRow[]): string[] {
  return [...new Set(rows.flatMap(({ booking }) => booking?.identifier ?? []))]
}

/**
 * Returns whether the booking of a row is stored in the other form: as one row if the file splits
 * it, in parts if the file does not. The amounts must be equal, because banks give the same
 * reference to a payment and its fee (docs/file-formats.md#camt).
 */
export function isStoredOtherwise(
  { booking }: FileRow,
  stored: ReadonlyMap<string, StoredBooking>,
): boolean {
  const known = booking && stored.get(booking.identifier)
  if (!known) return false
  if (booking.isPart) return known.whole === booking.amount
  // Beside stored parts of a payment, a stored whole row is the payment's fee, which banks book
  // under the same reference. So both amounts mean that the row is stored.
  return known.parts !== null && [known.parts, known.whole].includes(booking.amount)
}

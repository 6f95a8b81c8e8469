import { z } from 'zod'
import { JournalEntry } from '../money/journal.ts'

/**
 * A row of the journal with what it is about: the row of the transaction or the upload that its
 * cause names, while that is stored, and the other envelope of a transfer (null is free-to-use).
 */
export const HistoryRow = z.object({
  ...JournalEntry.shape,
  entryId: z.bigint(),
  otherSpendingId: z.string().nullable(),
  transaction: z.record(z.string(), z.unknown()).nullable(),
  transactionUploadId: z.string().nullable(),
  fileName: z.string().nullable(),
})
export type HistoryRow = z.infer<typeof HistoryRow>

/** From where to where a row's transfer went; null where the row is about something else. */
export function transferOf({ cause, delta, spendingId, otherSpendingId }: HistoryRow) {
  if (cause !== 'transfer') return null
  return delta < 0n
    ? { fromSpendingId: spendingId, toSpendingId: otherSpendingId }
    : { fromSpendingId: otherSpendingId, toSpendingId: spendingId }
}

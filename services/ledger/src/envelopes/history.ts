import { z } from 'zod'
import { JournalEntry } from '../money/journal.ts'

/**
 * A row of the journal with the object of its cause: the transaction or upload while it is stored,
 * and the other envelope of a transfer (null is free-to-use).
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

/** Source and destination of a transfer; null for rows of other causes. */
export function transferOf({ cause, delta, spendingId, otherSpendingId }: HistoryRow) {
  if (cause !== 'transfer') return null
  return delta < 0n
    ? { fromSpendingId: spendingId, toSpendingId: otherSpendingId }
    : { fromSpendingId: otherSpendingId, toSpendingId: spendingId }
}

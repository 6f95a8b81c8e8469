import { z } from 'zod'

/** A change of many transactions; `changes` is the encoded BulkChange by which it is undone. */
export const BulkOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  changes: z.instanceof(Buffer),
  createdAt: z.date(),
  /** ID of the user who sent the request; null if unknown. */
  createdBy: z.string().nullable(),
  undoneAt: z.date().nullable(),
})
export type BulkOperation = z.infer<typeof BulkOperation>

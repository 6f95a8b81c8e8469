import { z } from 'zod'

/** An operation named by another service, with the encoded reply that a repetition gets again. */
export const BookedOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  reply: z.instanceof(Buffer),
  createdAt: z.date(),
})
export type BookedOperation = z.infer<typeof BookedOperation>

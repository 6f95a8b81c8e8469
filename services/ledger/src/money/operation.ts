import { z } from 'zod'

/** An operation that another service named, with the bytes of its first reply. */
export const BookedOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  reply: z.instanceof(Buffer),
  createdAt: z.date(),
})
export type BookedOperation = z.infer<typeof BookedOperation>

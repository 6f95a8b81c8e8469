import { z } from 'zod'

/** Names the import of one file; the imported transactions have it as `transaction_upload_id`. */
export const UploadKey = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  transactionUploadId: z.string(),
})
export type UploadKey = z.infer<typeof UploadKey>

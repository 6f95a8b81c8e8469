import { z } from 'zod'

/** Who a session or an API key stands for. */
export const Credential = z.object({
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  timezone: z.string(),
  locale: z.string(),
})
export type Credential = z.infer<typeof Credential>

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

/** What a session stands for. */
export const SessionCredential = Credential.extend({
  sessionId: z.string(),
  /** The session owes its second factor and is good for nothing else. */
  mfaPending: z.boolean(),
})
export type SessionCredential = z.infer<typeof SessionCredential>

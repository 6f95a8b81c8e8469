import { z } from 'zod'
import { Payment } from '../billing/subscription.ts'

/** What a request needs to know of its account. */
export const AccountFacts = Payment.extend({ timezone: z.string(), locale: z.string() })

/** Who a session or an API key stands for. */
export const Credential = z.object({
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  ...AccountFacts.shape,
})
export type Credential = z.infer<typeof Credential>

/** What a session stands for. */
export const SessionCredential = Credential.extend({
  sessionId: z.string(),
  /** The session owes its second factor and is good for nothing else. */
  mfaPending: z.boolean(),
})
export type SessionCredential = z.infer<typeof SessionCredential>

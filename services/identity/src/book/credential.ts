import { z } from 'zod'
import { Payment } from './subscription.ts'

/** The columns of an account that the verification of a session or API key returns. */
export const AccountFacts = Payment.extend({ timezone: z.string(), locale: z.string() })

/** The user, login and account for which a session or API key acts. */
export const Credential = z.object({
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  ...AccountFacts.shape,
})
export type Credential = z.infer<typeof Credential>

export const SessionCredential = Credential.extend({
  sessionId: z.string(),
  /** Whether the session still requires its second factor. */
  mfaPending: z.boolean(),
  sessionExpiresAt: z.date(),
})
export type SessionCredential = z.infer<typeof SessionCredential>

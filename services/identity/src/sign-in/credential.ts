import { z } from 'zod'
import { Payment } from '../billing/subscription.ts'

/** The fields of an account that every request needs. */
export const AccountFacts = Payment.extend({ timezone: z.string(), locale: z.string() })

/** The user, login and account of a session or API key. */
export const Credential = z.object({
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  ...AccountFacts.shape,
})
export type Credential = z.infer<typeof Credential>

/** A credential of a session. */
export const SessionCredential = Credential.extend({
  sessionId: z.string(),
  /** Whether the session is pending: it still requires its second factor. */
  mfaPending: z.boolean(),
})
export type SessionCredential = z.infer<typeof SessionCredential>

import { type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'

/**
 * The user or system for which a call runs (docs/architecture.md#callers). Receivers trust the
 * claims of the service that signed the token.
 */
const Caller = z.object({
  issuer: z.string(),
  /** `pending`: a session whose second factor is still missing; few RPCs accept it. */
  kind: z.enum(['session', 'pending', 'key', 'system', 'anonymous']),
  /** Set only if `kind` is `session`. */
  sessionId: z.string().optional(),
  /** Whether the caller's API key may only call RPCs without side effects. */
  isReadOnly: z.boolean().optional(),
  /** Empty for an anonymous caller, like `userId` and `loginId`. */
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  /** IANA name. Empty for system callers: services then use the timezone stored for the account. */
  timezone: z.string(),
  locale: z.string(),
  subscriptionActive: z.boolean(),
})
export type Caller = z.infer<typeof Caller>

// Signed with each token, so that other signatures by the same key are not accepted as caller
// tokens. Every service accepts a token, because services pass it on with nested calls.
const intendedUse = { purpose: 'caller', audience: 'services' } as const

/** The claims of a caller token. */
export const Claims = Caller.extend({
  purpose: z.literal(intendedUse.purpose),
  audience: z.literal(intendedUse.audience),
  expiresAt: z.number(),
})

export interface Signer {
  issuer: string
  key: KeyObject
}

/** Lifetime of a caller token in ms, from its signature. */
const callerLifetimeMs = 60_000

/** User ID of calls that no user requested (docs/api.md#ids). */
export const systemUserId = 'user_system'

/**
 * Signs a caller token (Ed25519): base64url claims, a dot, base64url signature. Drops unknown
 * fields. The token expires after 60 s.
 */
export function mintCaller(signer: Signer, caller: Omit<Caller, 'issuer'>, now: Date): string {
  const expiresAt = now.getTime() + callerLifetimeMs
  const claims = Claims.parse({ ...caller, issuer: signer.issuer, ...intendedUse, expiresAt })
  const body = Buffer.from(JSON.stringify(claims))
  const signature = sign(null, body, signer.key)
  return `${body.toString('base64url')}.${signature.toString('base64url')}`
}

const noUser = { userId: '', loginId: '', timezone: '', locale: '' }

/** Signs a caller token for work without a user, such as consumers and activities. */
export function systemCaller(signer: Signer, accountId: string, now: Date): string {
  const as = { ...noUser, accountId, userId: systemUserId, subscriptionActive: true }
  return mintCaller(signer, { ...as, kind: 'system' }, now)
}

/** Signs a caller token for a request without a session or API key. */
export function anonymousCaller(signer: Signer, now: Date): string {
  const as = { ...noUser, accountId: '', subscriptionActive: false }
  return mintCaller(signer, { ...as, kind: 'anonymous' }, now)
}

import { type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'

/**
 * The user or system for which a call runs, as claimed by the service that signed the token
 * (docs/architecture.md#callers).
 */
const Caller = z.object({
  /** The service that signed the token. */
  issuer: z.string(),
  /** `pending`: a session that requires a second factor; few RPCs accept it. */
  kind: z.enum(['session', 'pending', 'key', 'system', 'anonymous']),
  /** ID of the session; unset for other kinds. */
  sessionId: z.string().optional(),
  /** Whether an API key may only call RPCs without side effects. */
  isReadOnly: z.boolean().optional(),
  /** Empty for an anonymous caller, like the two IDs below. */
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  /** IANA name; empty for system callers, which read their copy of the account's settings. */
  timezone: z.string(),
  locale: z.string(),
  subscriptionActive: z.boolean(),
})
export type Caller = z.infer<typeof Caller>

// Purpose and audience prevent the use of other signatures of a service's key as caller tokens. A
// token is valid for all services, because each service passes it on with its nested calls.
const intendedUse = { purpose: 'caller', audience: 'services' } as const

/** The claims of a caller token. */
export const Claims = Caller.extend({
  purpose: z.literal(intendedUse.purpose),
  audience: z.literal(intendedUse.audience),
  expiresAt: z.number(),
})

/** The name and private key with which a service signs caller tokens. */
export interface Signer {
  issuer: string
  key: KeyObject
}

/** Lifetime of a caller token. A token is signed for each credential or attempt. */
const callerLifetimeMs = 60_000

/** The user ID of work that no user requested (docs/api.md#ids). */
const systemUserId = 'user_system'

/**
 * Signs a caller token (Ed25519): base64url claims, a dot, base64url signature. Unknown fields are
 * left out. The token expires after 60 s.
 */
export function mintCaller(signer: Signer, caller: Omit<Caller, 'issuer'>, now: Date): string {
  const expiresAt = now.getTime() + callerLifetimeMs
  const claims = Claims.parse({ ...caller, issuer: signer.issuer, ...intendedUse, expiresAt })
  const body = Buffer.from(JSON.stringify(claims))
  const signature = sign(null, body, signer.key)
  return `${body.toString('base64url')}.${signature.toString('base64url')}`
}

/** Signs the token of a service that works on an account without a user (consumers, activities). */
export function systemCaller(signer: Signer, accountId: string, now: Date): string {
  const caller = {
    kind: 'system' as const,
    accountId,
    userId: systemUserId,
    loginId: '',
    timezone: '',
    locale: '',
    subscriptionActive: true,
  }
  return mintCaller(signer, caller, now)
}

/** Signs the token of a request without a credential. */
export function anonymousCaller(signer: Signer, now: Date): string {
  const caller = {
    kind: 'anonymous' as const,
    accountId: '',
    userId: '',
    loginId: '',
    timezone: '',
    locale: '',
    subscriptionActive: false,
  }
  return mintCaller(signer, caller, now)
}

import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { z } from 'zod'

/**
 * The user or system for which a call runs (docs/architecture.md#callers). Receivers trust the
 * claims of the service that signed the token.
 */
export const Caller = z.object({
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

/** Lifetime of a caller token in seconds, from its signature. */
export const callerSeconds = 60

/** Tolerated difference in seconds between the clocks of two machines. */
export const callerSkewSeconds = 30

/** Algorithm and explicit type of caller tokens (RFC 8037 3.1, RFC 8725 3.11). */
export const callerTokenType = { alg: 'EdDSA', typ: 'coffer-caller+jwt' } as const

/** The claims of a caller token (RFC 7519 4.1): no others, and a bounded lifetime. */
export const CallerClaims = z
  .strictObject({
    ...Caller.omit({ issuer: true, userId: true }).shape,
    iss: z.string(),
    /** The user ID. */
    sub: z.string(),
    aud: z.array(z.string()).min(1).max(8),
    iat: z.int(),
    exp: z.int(),
  })
  .refine(({ iat, exp }) => exp > iat && exp - iat <= callerSeconds)

export interface Signer {
  issuer: string
  key: KeyObject
}

/**
 * The caller of outgoing calls (`asCaller`). Services in the same process receive the object
 * itself, others a token.
 */
export interface OutgoingCaller {
  caller: Caller
  /** Instant in ms since 1970 from which the caller is refused, apart from clock skew. */
  expiresAt: number
  /** Returns a token that these services accept. Signs once for each audience. */
  tokenFor: (audience: readonly string[]) => Promise<string>
}

/**
 * Returns whether a caller has expired, with tolerance for clock skew. Holds for the caller of a
 * token as well as for a caller in the same process, which sends no token.
 */
export function isCallerOver({ expiresAt }: OutgoingCaller, now: Date): boolean {
  return expiresAt + 1000 * callerSkewSeconds <= now.getTime()
}

/** User ID of calls that no user requested (docs/api.md#ids). */
export const systemUserId = 'user_system'

/**
 * Creates the caller of calls that this service makes in the 60 s from `now`. Its tokens are JWTs
 * signed by Ed25519 (RFC 8037). Drops unknown fields.
 */
export function mintCaller(
  signer: Signer,
  caller: Omit<Caller, 'issuer'>,
  now: Date,
): OutgoingCaller {
  const known = Caller.parse({ ...caller, issuer: signer.issuer })
  const issuedAt = Math.floor(now.getTime() / 1000)
  const signed = new Map<string, Promise<string>>()
  return {
    caller: known,
    expiresAt: 1000 * (issuedAt + callerSeconds),
    tokenFor: (audience) => {
      const key = audience.join()
      const token = signed.get(key) ?? sign(signer, known, { audience, issuedAt })
      signed.set(key, token)
      return token
    },
  }
}

function sign(
  { key }: Signer,
  { issuer, userId, ...claims }: Caller,
  { audience, issuedAt }: { audience: readonly string[]; issuedAt: number },
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ ...callerTokenType, kid: keyIdOf(key) })
    .setIssuer(issuer)
    .setSubject(userId)
    .setAudience([...audience])
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + callerSeconds)
    .sign(key)
}

const keyIds = new WeakMap<KeyObject, string>()

/** Returns the ID of a signing key or its public key: 16 hex digits of the public key's SHA-256. */
export function keyIdOf(key: KeyObject): string {
  let id = keyIds.get(key)
  if (id === undefined) {
    const publicKey = key.type === 'private' ? createPublicKey(key) : key
    const bytes = publicKey.export({ type: 'spki', format: 'der' })
    id = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    keyIds.set(key, id)
  }
  return id
}

const noUser = { userId: '', loginId: '', timezone: '', locale: '' }

/** Creates the caller of work without a user, such as consumers and activities. */
export function systemCaller(signer: Signer, accountId: string, now: Date): OutgoingCaller {
  const as = { ...noUser, accountId, userId: systemUserId, subscriptionActive: true }
  return mintCaller(signer, { ...as, kind: 'system' }, now)
}

/** Creates the caller of a request without a session or API key. */
export function anonymousCaller(signer: Signer, now: Date): OutgoingCaller {
  const as = { ...noUser, accountId: '', subscriptionActive: false }
  return mintCaller(signer, { ...as, kind: 'anonymous' }, now)
}

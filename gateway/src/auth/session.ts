import { equals } from '@bufbuild/protobuf'
import { anonymousCaller, mintCaller, type Signer } from '@coffer/kit/rpc/caller'
import type { Mesh } from '@coffer/kit/rpc/client'
import { isUnanswered, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { isId } from '@coffer/kit/values/id'
import { type Credential, CredentialSchema, SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { CallOptions } from '@connectrpc/connect'

/** What a request brings along to prove who sends it. */
export type Proof =
  | { kind: 'session'; token: string }
  | { kind: 'key'; apiKeyId: string; secret: string }

/** A proof that holds, and the caller token that says so to the services. */
export interface Verified {
  credential: Credential
  token: string
  mintedAt: number
}

interface Entry {
  proof: Proof
  at: number
  verified: Promise<Verified>
}

export interface Sessions {
  /** Whom the proof stands for. Throws unauthenticated, and unavailable while identity hangs. */
  verify: (proof: Proof, requestId: string) => Promise<Verified>
  /** The caller token of a request without a proof. */
  anonymous: () => string
  /** Forgets what was verified, at once; to be called when a session or a key has ended. */
  forget: (match: (proof: Proof) => boolean) => void
}

const verifiedForMs = 1_000
const mintedForMs = 30_000
const entriesMax = 10_000

/**
 * Verifies proofs with identity. An answer holds for a second, so that a revoked session ends
 * within it everywhere; the caller token made of it is used for up to half of its life (design 2).
 */
export function createSessions(deps: { mesh: Mesh; signer: Signer; clock: () => Date }): Sessions {
  const { mesh, signer, clock } = deps
  const signIn = mesh.client('identity', SignInService)
  const entries = new Map<string, Entry>()
  let nobody = { token: '', mintedAt: 0 }

  const anonymous = () => {
    const now = clock()
    if (now.getTime() - nobody.mintedAt >= mintedForMs) {
      nobody = { token: anonymousCaller(signer, now), mintedAt: now.getTime() }
    }
    return nobody.token
  }

  const ask = async (proof: Proof, options: CallOptions): Promise<Credential> => {
    const { credential } =
      proof.kind === 'key'
        ? await signIn.verifyApiKey({ apiKeyId: proof.apiKeyId, secret: proof.secret }, options)
        : await signIn.verifySession({ sessionToken: proof.token }, options)
    if (credential) return credential
    throw unauthenticated(proof.kind === 'key' ? 'API_KEY_UNKNOWN' : 'SESSION_ENDED')
  }

  const renew = async (proof: Proof, options: CallOptions, old?: Promise<Verified>) => {
    const credential = await ask(proof, options)
    const before = await old?.catch(() => undefined)
    const now = clock()
    const isFresh = before !== undefined && now.getTime() - before.mintedAt < mintedForMs
    if (isFresh && equals(CredentialSchema, before.credential, credential)) return before
    const kind = credential.mfaPending ? 'pending' : proof.kind
    const token = mintCaller(signer, { ...callerOf(credential), kind }, now)
    return { credential, token, mintedAt: now.getTime() }
  }

  return {
    anonymous,
    forget: (match) => {
      for (const [key, { proof }] of entries) if (match(proof)) entries.delete(key)
    },
    verify: (proof, requestId) => {
      const key = keyOf(proof)
      const at = clock().getTime()
      const known = entries.get(key)
      if (known && at - known.at < verifiedForMs && at >= known.at) return known.verified
      const options = {
        headers: { [headers.caller]: anonymous(), [headers.requestId]: requestId },
      }
      const verified = renew(proof, options, known?.verified).catch(throwUnavailable)
      if (entries.size >= entriesMax) entries.clear()
      const entry = { proof, at, verified }
      entries.set(key, entry)
      verified.catch(() => entries.get(key) === entry && entries.delete(key))
      return verified
    },
  }
}

/** Nothing of a request is carried out before it is verified: it can safely be sent again. */
function throwUnavailable(error: unknown): never {
  throw isUnanswered(error) ? unavailable('a service is not available') : error
}

/** Reads a Basic `Authorization` header. Throws unauthenticated where it is not well-formed. */
export function keyProofOf(authorization: string): Proof {
  const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
  const colon = text.indexOf(':')
  if (!isId('key', text.slice(0, Math.max(0, colon)))) throw unauthenticated('API_KEY_UNKNOWN')
  return { kind: 'key', apiKeyId: text.slice(0, colon), secret: text.slice(colon + 1) }
}

export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic /i.test(authorization)
}

function keyOf(proof: Proof): string {
  return proof.kind === 'key' ? `key:${proof.apiKeyId}:${proof.secret}` : `session:${proof.token}`
}

function callerOf(credential: Credential) {
  const { accountId, userId, loginId, timezone, locale, subscriptionActive } = credential
  const { sessionId, isReadOnly } = credential
  const who = { accountId, userId, loginId, timezone, locale, subscriptionActive }
  return { ...who, sessionId, isReadOnly }
}

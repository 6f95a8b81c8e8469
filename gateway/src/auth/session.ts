import { equals } from '@bufbuild/protobuf'
import {
  anonymousCaller,
  mintCaller,
  type OutgoingCaller,
  type Signer,
} from '@coffer/kit/rpc/caller'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import { isId } from '@coffer/kit/values/id'
import { type Credential, CredentialSchema, SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { throwUnavailable } from '../http/errors/errors.ts'

/** The credential in a request, before it is verified. */
export type SentCredential =
  | { kind: 'session'; token: string }
  | { kind: 'key'; apiKeyId: string; secret: string }

/**
 * A verified credential. `caller` signs calls for it, and was created at `mintedAt` (ms since
 * 1970).
 */
export interface Verified {
  credential: Credential
  caller: OutgoingCaller
  mintedAt: number
}

interface Entry {
  sent: SentCredential
  at: number
  verified: Promise<Verified>
  /** Account of the credential; null until it is verified. */
  accountId: string | null
}

export interface Sessions {
  /** Verifies a credential. Throws unauthenticated, or unavailable if identity does not answer. */
  verify: (sent: SentCredential, requestId: string) => Promise<Verified>
  /** Returns the caller for requests without a credential. */
  anonymous: () => OutgoingCaller
  /** Removes matching credentials from the cache; call it when a session or key ends. */
  forget: (match: (sent: SentCredential) => boolean) => void
  /** Removes the credentials of an account from the cache; call it when the account changes. */
  forgetAccount: (accountId: string) => void
}

const verifiedForMs = 1_000
const mintedForMs = 30_000
const entriesMax = 10_000

/**
 * Returns a cache of verified credentials (docs/architecture.md#callers). A verification is valid
 * for a second, so a revoked session ends within a second in every process. A caller token is used
 * for half of its lifetime.
 */
export function createSessions(deps: { mesh: Mesh; signer: Signer; clock: () => Date }): Sessions {
  const { mesh, signer, clock } = deps
  const signIn = mesh.client('identity', SignInService)
  const entries = new LRUCache<string, Entry>({ max: entriesMax })
  let minted: { caller: OutgoingCaller; mintedAt: number } | null = null

  const anonymous = () => {
    const now = clock()
    if (minted === null || now.getTime() - minted.mintedAt >= mintedForMs) {
      minted = { caller: anonymousCaller(signer, now), mintedAt: now.getTime() }
    }
    return minted.caller
  }

  const ask = async (sent: SentCredential, options: CallOptions): Promise<Credential> => {
    const { credential } =
      sent.kind === 'key'
        ? await signIn.verifyApiKey({ apiKeyId: sent.apiKeyId, secret: sent.secret }, options)
        : await signIn.verifySession({ sessionToken: sent.token }, options)
    if (credential) return credential
    throw unauthenticated(sent.kind === 'key' ? 'API_KEY_UNKNOWN' : 'SESSION_ENDED')
  }

  const renew = async (sent: SentCredential, options: CallOptions, old?: Promise<Verified>) => {
    const credential = await ask(sent, options)
    const before = await old?.catch(() => undefined)
    const now = clock()
    const isFresh = before !== undefined && now.getTime() - before.mintedAt < mintedForMs
    if (isFresh && equals(CredentialSchema, before.credential, credential)) return before
    const kind = credential.mfaPending ? 'pending' : sent.kind
    const caller = mintCaller(signer, { ...credential, kind }, now)
    return { credential, caller, mintedAt: now.getTime() }
  }

  return {
    anonymous,
    forget: (match) => {
      for (const [key, { sent }] of [...entries]) if (match(sent)) entries.delete(key)
    },
    forgetAccount: (changed) => {
      for (const [key, { accountId }] of [...entries]) {
        // Verifications in progress are removed too: they may have read the account before its
        // change.
        if (accountId === null || accountId === changed) entries.delete(key)
      }
    },
    verify: (sent, requestId) => {
      const key = cacheKeyOf(sent)
      const at = clock().getTime()
      const known = entries.get(key)
      if (known && at - known.at < verifiedForMs && at >= known.at) return known.verified
      const options = {
        ...asCaller(anonymous()),
        headers: { [headers.requestId]: requestId },
      }
      const verified = renew(sent, options, known?.verified).catch(throwUnavailable)
      const entry: Entry = { sent, at, verified, accountId: null }
      entries.set(key, entry)
      verified.then(
        ({ credential }) => {
          entry.accountId = credential.accountId
        },
        () => entries.get(key) === entry && entries.delete(key),
      )
      return verified
    },
  }
}

/** Reads an API key from a Basic `Authorization` header. Throws unauthenticated if malformed. */
export function readApiKey(authorization: string): SentCredential {
  const [apiKeyId, secret] = userAndPassword(authorization)
  if (!isId('key', apiKeyId)) throw unauthenticated('API_KEY_UNKNOWN')
  return { kind: 'key', apiKeyId, secret }
}

/** Returns whether the user of a Basic `Authorization` header is a well-formed ID of an API key. */
export function namesApiKey(authorization: string): boolean {
  const [user] = userAndPassword(authorization)
  return isId('key', user)
}

/** Returns user and password of a Basic header; without a colon, the user is empty. */
function userAndPassword(authorization: string): [user: string, password: string] {
  const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
  const colon = text.indexOf(':')
  return [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
}

/** Returns whether the `Authorization` header has the scheme Basic (RFC 7617). */
export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic /i.test(authorization)
}

/**
 * Returns the `WWW-Authenticate` header of a 401 (RFC 9110, 11.6.1). CSRF: only clients that are
 * not browsers get the scheme Basic. A browser would ask its user for the API key and then attach
 * it automatically, also to requests from pages of other sites; writes by key are not checked for
 * CSRF (docs/security.md#who-may-do-what). Browsers ignore the scheme Cookie
 * (draft-broyer-http-cookie-auth).
 */
export function credentialChallenge(
  { headers }: FastifyRequest,
  route: { acceptsKeys: boolean; hasSession: boolean; cookieName: string },
): string {
  const { acceptsKeys, hasSession, cookieName } = route
  if (acceptsKeys && !hasSession && !isBrowser(headers)) {
    return 'Basic realm="Coffer", charset="UTF-8"'
  }
  return `Cookie realm="Coffer", cookie-name="${cookieName}"`
}

/**
 * Returns whether a browser sent the request. Three headers are read, because each can be missing:
 * `Sec-Fetch-*` over plain HTTP, `Origin` on reads of the same site.
 */
function isBrowser(headers: FastifyRequest['headers']): boolean {
  return (
    'sec-fetch-mode' in headers ||
    headers.origin !== undefined ||
    /^Mozilla\//.test(headers['user-agent'] ?? '')
  )
}

function cacheKeyOf(sent: SentCredential): string {
  return sent.kind === 'key' ? `key:${sent.apiKeyId}:${sent.secret}` : `session:${sent.token}`
}

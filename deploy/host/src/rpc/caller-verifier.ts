import { type KeyObject, verify } from 'node:crypto'
import { type Caller, Claims } from '@coffer/kit/rpc/caller'
import { callerRefused } from '@coffer/kit/rpc/errors'
import type { z } from 'zod'

/** Returns the public key of an issuer; null for an unknown issuer. */
export type Verifiers = (issuer: string) => KeyObject | null

/** Allowance for clock skew between machines. */
const skewMs = 30_000

/**
 * Creates a verifier of caller tokens, which throws callerRefused for an invalid or expired token.
 * Verified tokens are cached until they expire. An own cache suffices: a token lives 90 s, so
 * clearing a full cache costs each token at most one more signature check.
 */
export function callerVerifier(verifiers: Verifiers): (token: string, now: Date) => Caller {
  const checked = new Map<string, z.infer<typeof Claims>>()
  return (token, now) => {
    let claims = checked.get(token)
    if (!claims) {
      claims = check(verifiers, token)
      if (checked.size >= 10_000) checked.clear()
      checked.set(token, claims)
    }
    if (claims.expiresAt + skewMs <= now.getTime()) {
      checked.delete(token)
      throw callerRefused('caller token has expired')
    }
    return claims
  }
}

function check(verifiers: Verifiers, token: string): z.infer<typeof Claims> {
  const [body = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(body, 'base64url')
  try {
    const claims = Claims.parse(JSON.parse(bytes.toString()))
    const key = verifiers(claims.issuer)
    if (key && verify(null, bytes, key, Buffer.from(signature, 'base64url'))) return claims
  } catch {
    // A malformed token is refused like a forged token.
  }
  throw callerRefused('caller token is not valid')
}

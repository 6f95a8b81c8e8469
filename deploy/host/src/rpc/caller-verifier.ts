import { type KeyObject, verify } from 'node:crypto'
import { type Caller, Claims } from '@coffer/kit/rpc/caller'
import { callerExpired, callerRefused } from '@coffer/kit/rpc/errors'
import type { z } from 'zod'

/** Returns the public key of an issuing service; null if that service is unknown. */
export type Verifiers = (issuer: string) => KeyObject | null

/** Tolerated difference in ms between the clocks of two machines. */
const skewMs = 30_000

/**
 * Creates a verifier of caller tokens; throws callerRefused for an invalid or expired token. Caches
 * verified tokens; clearing a full cache costs each token one more signature check at most.
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
      throw callerExpired()
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
    // A token that cannot be parsed is refused like a forged one.
  }
  throw callerRefused('caller token is not valid')
}

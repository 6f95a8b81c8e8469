import { type KeyObject, verify } from 'node:crypto'
import { type Caller, Claims } from '@coffer/kit/rpc/caller'
import { callerExpired, callerRefused } from '@coffer/kit/rpc/errors'
import type { z } from 'zod'

/** The public keys of the issuing services. */
export interface Verifiers {
  /** Returns the public keys of a service: several during a rotation, none if it is unknown. */
  keysOf: (issuer: string) => readonly KeyObject[]
  /** Reads the keys again. */
  reload: () => void
}

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
    const signed = Buffer.from(signature, 'base64url')
    const isSigned = () =>
      verifiers.keysOf(claims.issuer).some((key) => verify(null, bytes, key, signed))
    if (isSigned()) return claims
    verifiers.reload()
    if (isSigned()) return claims
  } catch {
    // A token that cannot be parsed is refused like a forged one.
  }
  throw callerRefused('caller token is not valid')
}

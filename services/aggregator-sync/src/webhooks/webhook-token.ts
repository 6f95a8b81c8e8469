import { createHash, timingSafeEqual } from 'node:crypto'
import { type CryptoKey, decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from 'jose'
import type { WebhookKey } from '../provider/aggregator.ts'

const algorithm = 'ES256'
const leewaySeconds = 5
const ageSecondsMax = 5 * 60

/** Returns the ID of the key that signed a webhook's token; null if the token is none of ES256. */
export function readKeyId(token: string): string | null {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    if (alg !== algorithm || typeof kid !== 'string') return null
    return /^[\w-]{1,100}$/.test(kid) ? kid : null
  } catch {
    return null
  }
}

/** Returns the public key of webhooks; null if its point is not on the curve P-256. */
export async function importKey({
  keyType: kty,
  curve: crv,
  x,
  y,
}: Pick<WebhookKey, 'keyType' | 'curve' | 'x' | 'y'>): Promise<CryptoKey | null> {
  try {
    return (await importJWK({ kty, crv, x, y, alg: algorithm })) as CryptoKey
  } catch {
    return null
  }
}

/**
 * Returns the instant at which a webhook was signed. Null if its token is not valid for this body:
 * signature, end, age of at most 5 minutes, and hash of the body.
 */
export async function verifyToken(
  token: string,
  { key, body, now }: { key: CryptoKey; body: Uint8Array; now: Date },
): Promise<Date | null> {
  const claims = await claimsOf(token, { key, now })
  const { iat, request_body_sha256: hash } = claims ?? {}
  if (iat === undefined || !isHashOf(body, hash)) return null
  const ageMs = now.getTime() - iat * 1_000
  const isYoung = ageMs >= -leewaySeconds * 1_000 && ageMs <= ageSecondsMax * 1_000
  return isYoung ? new Date(iat * 1_000) : null
}

async function claimsOf(
  token: string,
  { key, now }: { key: CryptoKey; now: Date },
): Promise<JWTPayload | null> {
  const options = { algorithms: [algorithm], clockTolerance: leewaySeconds, currentDate: now }
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch {
    return null
  }
}

/** Compares the hash in constant time. */
function isHashOf(body: Uint8Array, hash: unknown): boolean {
  if (typeof hash !== 'string' || !/^[\da-f]{64}$/i.test(hash)) return false
  return timingSafeEqual(createHash('sha256').update(body).digest(), Buffer.from(hash, 'hex'))
}

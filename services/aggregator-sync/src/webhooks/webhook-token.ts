import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import type { WebhookKey } from '../provider/aggregator.ts'

const algorithm = 'ES256'
const leewaySeconds = 5
const ageSecondsMax = 5 * 60

/** Returns the ID of the key that signed a webhook's token; null unless it is an ES256 token. */
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

/** Reason why a token does not verify a webhook. */
export type Mismatch = 'signature' | 'age' | 'body'

/**
 * Returns the instant at which a webhook was signed, or the reason why its token is not valid for
 * this body. Checks the signature, an age of at most 5 minutes, the expiry, and the hash of the
 * body.
 */
export async function verifyToken(
  token: string,
  { key, body, now }: { key: CryptoKey; body: Uint8Array; now: Date },
): Promise<Date | Mismatch> {
  const claims = await claimsOf(token, { key, now })
  if (typeof claims === 'string') return claims
  const { iat = Number.NaN, request_body_sha256: hash } = claims
  const ageMs = now.getTime() - iat * 1_000
  const isYoung = ageMs >= -leewaySeconds * 1_000 && ageMs <= ageSecondsMax * 1_000
  if (!isYoung) return 'age'
  return isHashOf(body, hash) ? new Date(iat * 1_000) : 'body'
}

async function claimsOf(
  token: string,
  { key, now }: { key: CryptoKey; now: Date },
): Promise<JWTPayload | Mismatch> {
  const options = { algorithms: [algorithm], clockTolerance: leewaySeconds, currentDate: now }
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'age' : 'signature'
  }
}

// Order of the base point of P-256 (SEC 2, 2.4.2).
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/**
 * Returns the SHA-256 by which a repeated token is recognized. ECDSA signatures are malleable: s
 * and n − s are both valid (SEC 1, 4.1.4), and base64url has several texts for the same bytes. All
 * variants of a token have the same hash.
 */
export function hashToken(token: string): Buffer {
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = BigInt(`0x${bytes.toString('hex', 32)}`)
  const least = s > order - s ? order - s : s
  return createHash('sha256')
    .update(`${header}.${payload}.`)
    .update(bytes.subarray(0, 32))
    .update(`${least}`)
    .digest()
}

/** Constant-time comparison of the hash. */
function isHashOf(body: Uint8Array, hash: unknown): boolean {
  if (typeof hash !== 'string' || !/^[\da-f]{64}$/i.test(hash)) return false
  return timingSafeEqual(createHash('sha256').update(body).digest(), Buffer.from(hash, 'hex'))
}

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

/** Reason for which a token does not verify a webhook. */
export type Mismatch = 'signature' | 'age' | 'body'

/**
 * Returns the instant at which a webhook was signed, or why its token is not valid for this body:
 * signature, an age of at most 5 minutes and the end, hash of the body.
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
 * Returns the SHA-256 of a verified token by which it is recognized. Anyone can write a signature
 * in another way that is valid too: with s or n − s (SEC 1, 4.1.4), and in other base64url texts.
 * All of these have the same hash.
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

/** Compares the hash in constant time. */
function isHashOf(body: Uint8Array, hash: unknown): boolean {
  if (typeof hash !== 'string' || !/^[\da-f]{64}$/i.test(hash)) return false
  return timingSafeEqual(createHash('sha256').update(body).digest(), Buffer.from(hash, 'hex'))
}

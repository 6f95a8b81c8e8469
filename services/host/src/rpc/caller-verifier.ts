import {
  CallerClaims,
  callerSeconds,
  callerSkewSeconds,
  callerTokenType,
  isCallerOver,
  keyIdOf,
  type OutgoingCaller,
} from '@coffer/kit/rpc/caller'
import { callerEarly, callerExpired, callerRefused } from '@coffer/kit/rpc/errors'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { isFormerToken, verifyFormerToken } from './former-caller-token.ts'
import type { Verifiers } from './signing-key.ts'

/** Maximum number of verified tokens in the cache, and maximum length of a token in characters. */
const tokensMax = 10_000
const lengthMax = 4_096

/**
 * A verified token, and the services that accept it. until 0.4: null (all) for a token of 0.2.0.
 */
interface Verified {
  caller: OutgoingCaller
  audience: readonly string[] | null
}

/** Verifies the caller token of a call to one of these services. */
export type VerifyCaller = (
  token: string,
  services: readonly string[],
  now: Date,
) => Promise<OutgoingCaller>

/**
 * Creates a verifier of caller tokens; it throws callerRefused for an invalid or expired token, or
 * one for another service. Cache: a signature is checked once for each token.
 */
export function callerVerifier(verifiers: Verifiers): VerifyCaller {
  const checked = new LRUCache<string, Promise<Verified>>({ max: tokensMax })
  const forget = (token: string) => void checked.delete(token)
  return async (token, services, now) => {
    let verifying = checked.get(token)
    if (!verifying) {
      verifying = verify(verifiers, token, now)
      checked.set(token, verifying)
      verifying.catch(() => forget(token))
    }
    const { caller, audience } = await verifying
    if (isCallerOver(caller, now)) {
      forget(token)
      throw callerExpired()
    }
    if (audience !== null && !services.some((name) => audience.includes(name))) {
      throw callerRefused('caller token is for another service')
    }
    return caller
  }
}

async function verify(verifiers: Verifiers, token: string, now: Date): Promise<Verified> {
  try {
    if (token.length > lengthMax) throw new Error('the token is too long')
    if (!isFormerToken(token)) return await verifyToken(verifiers, token, now)
    const latest = now.getTime() + 1000 * (callerSeconds + callerSkewSeconds)
    return { caller: verifyFormerToken(verifiers, token, latest), audience: null }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw callerExpired()
    if (isEarly(error)) throw callerEarly()
    throw callerRefused('caller token is not valid')
  }
}

function isEarly(error: unknown): boolean {
  const { claim, reason } = Object(error instanceof errors.JWTClaimValidationFailed ? error : null)
  return claim === 'iat' && reason === 'check_failed'
}

/**
 * A JWT in base64url without padding, whose signature has 64 bytes. Its last character encodes only
 * two bits, so four characters are valid there; others would decode to the same signature.
 */
const form = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

const Header = z.strictObject({
  alg: z.literal(callerTokenType.alg),
  typ: z.literal(callerTokenType.typ),
  kid: z.string(),
})

/** Verifies a JWT (RFC 7519 7.2) by the public key of its issuer that the header `kid` names. */
async function verifyToken(verifiers: Verifiers, token: string, now: Date): Promise<Verified> {
  if (!form.test(token)) throw new Error('the token is no JWT')
  const { kid } = Header.parse(decodeProtectedHeader(token))
  const { iss: issuer = '' } = decodeJwt(token)
  const find = () => verifiers.keysOf(issuer).find((key) => keyIdOf(key) === kid)
  let key = find()
  if (!key) {
    verifiers.reload()
    key = find()
  }
  if (!key) throw new Error('the key is unknown')
  const { payload } = await jwtVerify(token, key, {
    algorithms: [callerTokenType.alg],
    typ: callerTokenType.typ,
    issuer,
    currentDate: now,
    clockTolerance: callerSkewSeconds,
    maxTokenAge: callerSeconds,
  })
  const { iss, sub, aud, iat: _, exp, ...claims } = CallerClaims.parse(payload)
  const caller = { ...claims, issuer: iss, userId: sub }
  const outgoing = { caller, expiresAt: 1000 * exp, tokenFor: async () => token }
  return { caller: outgoing, audience: aud }
}

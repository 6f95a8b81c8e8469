import { verify } from 'node:crypto'
import { Caller, type OutgoingCaller } from '@coffer/kit/rpc/caller'
import { z } from 'zod'
import type { Verifiers } from './signing-key.ts'

/** Two parts of base64url without padding; the second one is a signature of 64 bytes. */
const form = /^[\w-]+\.[\w-]{85}[AQgw]$/

const Claims = z.strictObject({
  ...Caller.shape,
  purpose: z.literal('caller'),
  audience: z.literal('services'),
  expiresAt: z.int(),
})

/**
 * until 0.4: returns whether a text has the format of a caller token of 0.2.0, which is not
 * restricted to one service (docs/running/upgrading.md#callers-of-the-former-release).
 */
export function isFormerToken(token: string): boolean {
  return form.test(token)
}

/**
 * until 0.4: verifies a caller token of 0.2.0: the claims as JSON, signed by Ed25519. Throws an
 * error if it is invalid or expires after `latest` (ms since 1970).
 */
export function verifyFormerToken(
  verifiers: Verifiers,
  token: string,
  latest: number,
): OutgoingCaller {
  const [body = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(body, 'base64url')
  if (bytes.toString('base64url') !== body) throw new Error('the claims are not canonical')
  const { purpose: _, audience: __, expiresAt, ...caller } = Claims.parse(JSON.parse(`${bytes}`))
  if (expiresAt > latest) throw new Error('the token lives for too long')
  const signed = Buffer.from(signature, 'base64url')
  const isSigned = () =>
    verifiers.keysOf(caller.issuer).some((key) => verify(null, bytes, key, signed))
  if (!isSigned()) {
    verifiers.reload()
    if (!isSigned()) throw new Error('the signature does not fit')
  }
  return { caller, expiresAt, tokenFor: async () => token }
}

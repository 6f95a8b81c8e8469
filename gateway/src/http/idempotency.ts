import { createHash, type Hash } from 'node:crypto'
import { invalid } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'

const keyPattern = /^[\x21-\x7e]{1,255}$/

/**
 * The headers that make the owning service answer a repeated request with its first reply
 * (design 5), with the hash of the request where it is known by now. Empty without an
 * Idempotency-Key. Throws invalid for a key that is not 1 to 255 visible characters.
 */
export function idempotencyHeaders(
  key: string | string[] | undefined,
  hash: Hash | null,
): Record<string, string> {
  if (key === undefined) return {}
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    const problem = 'must have 1 to 255 visible ASCII characters'
    throw invalid({ 'Idempotency-Key': problem }, `the Idempotency-Key ${problem}`)
  }
  const named = { [headers.idempotencyKey]: key }
  return hash ? { ...named, [headers.bodyHash]: hash.digest('hex') } : named
}

/** The hash of what a request consists of: method, path and body, so that a key fits one only. */
export function hashOf(parts: readonly (string | Uint8Array)[]): Hash {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return hash
}

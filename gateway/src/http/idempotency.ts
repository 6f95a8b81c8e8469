import { createHash, type Hash } from 'node:crypto'
import { invalid } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'

const keyPattern = /^[\x21-\x7e]{1,255}$/

/**
 * Returns the RPC headers for an idempotency key: the owning service answers a retried request with
 * its first reply (docs/api.md#idempotency-key). `hash` is the hash of the request; null while its
 * file is still arriving. `onlyReplay`: without a stored reply, the service refuses the request.
 * Returns no headers without a key. Throws invalid for a malformed key.
 */
export function idempotencyHeaders(
  key: string | string[] | undefined,
  { hash, onlyReplay }: { hash: Hash | null; onlyReplay: boolean },
): Record<string, string> {
  if (key === undefined) return {}
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    const problem = 'must have 1 to 255 visible ASCII characters'
    throw invalid({ 'Idempotency-Key': problem }, `the Idempotency-Key ${problem}`)
  }
  const named: Record<string, string> = { [headers.idempotencyKey]: key }
  if (hash) named[headers.bodyHash] = hash.digest('hex')
  if (onlyReplay) named[headers.onlyReplay] = 'true'
  return named
}

/**
 * Returns the SHA-256 of method, path and body, which binds an idempotency key to one request. Each
 * part is preceded by its length, so that no two requests have the same input.
 */
export function hashOf(parts: readonly (string | Uint8Array)[]): Hash {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return hash
}

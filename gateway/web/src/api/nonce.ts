import { sha256 } from '@noble/hashes/sha2.js'

/**
 * Proof of work: returns the smallest nonce whose digest has `difficulty` leading zero bits, at
 * most 32 (docs/sign-in.md#proof-of-work). Hashes in JavaScript, as pages without TLS have no
 * `crypto.subtle`.
 */
export function findNonce(challenge: string, difficulty: number): number {
  const prefix = new TextEncoder().encode(`coffer-pow-v1:${challenge}:`)
  const input = new Uint8Array(prefix.length + 8)
  input.set(prefix)
  const counter = new DataView(input.buffer, prefix.length)
  for (let nonce = 0; ; nonce += 1) {
    counter.setBigUint64(0, BigInt(nonce))
    const digest = sha256(input)
    if (Math.clz32(new DataView(digest.buffer).getUint32(0)) >= difficulty) return nonce
  }
}

import { createHash } from 'node:crypto'
import { call } from './person.ts'

/** Returns whether the nonce solves a challenge (docs/sign-in.md#proof-of-work). */
export function isSolved(challenge: string, nonce: number, difficulty: number): boolean {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(nonce))
  const digest = createHash('sha256').update(`coffer-pow-v1:${challenge}:`).update(counter).digest()
  return digest.readUInt32BE(0) >>> (32 - difficulty) === 0
}

/** Returns the smallest nonce that solves a challenge. */
export function solve(challenge: string, difficulty: number): number {
  let nonce = 0
  while (!isSolved(challenge, nonce, difficulty)) nonce += 1
  return nonce
}

/** Returns the keys of a body that prove work, for one request of this purpose. */
export async function proofFor(
  baseUrl: string,
  purpose: string,
): Promise<{ challenge: string; nonce: number }> {
  const answer = await call(baseUrl, 'POST', '/authentication/challenge', { body: { purpose } })
  const { challenge, difficulty } = answer.body
  return { challenge, nonce: solve(challenge, difficulty) }
}

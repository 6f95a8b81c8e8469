import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { values } from '@coffer/proto/values'
import { base32, fromBase32 } from '../book/secret.ts'

/** Purposes of challenges. A challenge contains the position in this list, counted from 1. */
export const purposes = values['IssueChallengeRequest.purpose']
export type ChallengePurpose = (typeof purposes)[number]

/** The configured difficulty and lifetime of challenges. */
export interface Terms {
  /** Minimum number of leading zero bits of a solution's digest. */
  difficulty: number
  lifetimeSeconds: number
}

export const challengeRandomBytes = 16

const version = 1
const signedBytes = 28
const challengeBytes = 60
const clocksDifferBySeconds = 30
const solutionPrefix = 'coffer-pow-v1:'

/**
 * Returns a challenge of 96 base32 characters: version, purpose, 16 random bytes, issue time,
 * difficulty and their HMAC-SHA-256 (docs/sign-in.md#proof-of-work).
 */
export function issueChallenge(
  key: Buffer,
  wanted: { purpose: ChallengePurpose; random: Uint8Array; difficulty: number },
  now: Date,
): string {
  const { purpose, random, difficulty } = wanted
  const head = Buffer.alloc(signedBytes)
  head.writeUInt8(version, 0)
  head.writeUInt8(numberOf(purpose), 1)
  head.set(random, 2)
  head.writeBigUInt64BE(BigInt(secondsOf(now)), 18)
  head.writeUInt16BE(difficulty, 26)
  return base32(Buffer.concat([head, signatureOf(key, head)])).toUpperCase()
}

/**
 * Returns null for a valid solution, `expired` if its challenge is too old or has a difficulty
 * below the configured one, and `wrong` for any other fault.
 */
export function findSolutionFault(
  key: Buffer,
  solution: { challenge: string; nonce: bigint; purpose: ChallengePurpose },
  { difficulty, lifetimeSeconds }: Terms,
  now: Date,
): 'expired' | 'wrong' | null {
  const bytes = bytesOf(solution.challenge)
  if (!bytes) return 'wrong'
  const head = bytes.subarray(0, signedBytes)
  if (!timingSafeEqual(bytes.subarray(signedBytes), signatureOf(key, head))) return 'wrong'
  if (head.readUInt8(1) !== numberOf(solution.purpose)) return 'wrong'
  const asked = head.readUInt16BE(26)
  if (asked < difficulty) return 'expired'
  const age = secondsOf(now) - Number(head.readBigUInt64BE(18))
  if (age > lifetimeSeconds) return 'expired'
  if (age < -clocksDifferBySeconds) return 'wrong'
  return isSolution(solution, asked) ? null : 'wrong'
}

/** Returns whether SHA-256 of a fixed prefix, challenge and nonce begins with enough zero bits. */
export function isSolution(
  { challenge, nonce }: { challenge: string; nonce: bigint },
  difficulty: number,
): boolean {
  if (nonce < 0n || nonce >= 2n ** 64n) return false
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(nonce)
  const hash = createHash('sha256').update(`${solutionPrefix}${challenge}:`).update(counter)
  return leadingZeroBits(hash.digest()) >= difficulty
}

function bytesOf(challenge: string): Buffer | null {
  if (!/^[A-Z2-7]{96}$/.test(challenge)) return null
  const bytes = fromBase32(challenge.toLowerCase())
  return bytes.length === challengeBytes && bytes.readUInt8(0) === version ? bytes : null
}

function leadingZeroBits(digest: Buffer): number {
  const whole = digest.findIndex((byte) => byte !== 0)
  return whole < 0 ? digest.length * 8 : whole * 8 + Math.clz32(digest[whole] ?? 0) - 24
}

function numberOf(purpose: ChallengePurpose): number {
  return purposes.indexOf(purpose) + 1
}

function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}

function signatureOf(key: Buffer, head: Buffer): Buffer {
  return createHmac('sha256', key).update(head).digest()
}

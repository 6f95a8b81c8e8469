import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findSolutionFault, isSolution, issueChallenge, purposes } from './proof-of-work.ts'

const key = Buffer.alloc(32, 7)
const random = Buffer.alloc(16, 1)
const now = new Date('2026-03-01T12:00:00Z')
const terms = { difficulty: 8, lifetimeSeconds: 300 }
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)

/** Finds a nonce independently of the code under test: compares the digest's bits as text. */
function solve(challenge: string, difficulty: number): bigint {
  for (let nonce = 0n; ; nonce += 1n) {
    const counter = Buffer.from(nonce.toString(16).padStart(16, '0'), 'hex')
    const hash = createHash('sha256').update(`coffer-pow-v1:${challenge}:`).update(counter)
    const bits = BigInt(`0x${hash.digest('hex')}`)
      .toString(2)
      .padStart(256, '0')
    if (bits.startsWith('0'.repeat(difficulty))) return nonce
  }
}

const challenge = issueChallenge(key, { purpose: 'login', random, difficulty: 8 }, now)
const nonce = solve(challenge, 8)
const solution = { challenge, nonce, purpose: 'login' as const }

test('a challenge is 96 characters of base32', () => {
  expect(challenge).toMatch(/^[A-Z2-7]{96}$/)
})

test('a solution is accepted for its purpose and time', () => {
  expect(findSolutionFault(key, solution, terms, now)).toBeNull()
  expect(findSolutionFault(key, solution, terms, after(300))).toBeNull()
  expect(findSolutionFault(key, solution, terms, after(-30))).toBeNull()
})

describe('a solution is refused', () => {
  test.each([
    ['late', { at: after(301), fault: 'expired' }],
    ['before its time', { at: after(-31), fault: 'wrong' }],
    ['easier than what is asked for now', { difficulty: 9, fault: 'expired' }],
    ['for another purpose', { purpose: 'forgot' as const, fault: 'wrong' }],
    ['without a solution', { nonce: -1n, fault: 'wrong' }],
    ['in lower case', { challenge: challenge.toLowerCase(), fault: 'wrong' }],
    ['cut short', { challenge: challenge.slice(1), fault: 'wrong' }],
    ['empty', { challenge: '', fault: 'wrong' }],
  ])('%s', (_, { fault, ...change }) => {
    const tried = { ...solution, at: now, ...terms, ...change }
    expect(findSolutionFault(key, tried, tried, tried.at)).toBe(fault)
  })

  test('under another key', () => {
    expect(findSolutionFault(Buffer.alloc(32, 8), solution, terms, now)).toBe('wrong')
  })

  test('with any character changed', () => {
    fc.assert(
      fc.property(fc.nat(95), fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), (at, to) => {
        fc.pre(challenge[at] !== to)
        const changed = `${challenge.slice(0, at)}${to}${challenge.slice(at + 1)}`
        return findSolutionFault(key, { ...solution, challenge: changed }, terms, now) === 'wrong'
      }),
    )
  })
})

test('a nonce solves as many bits as its digest begins with, and no more', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 53n), (tried) => {
      const counter = Buffer.from(tried.toString(16).padStart(16, '0'), 'hex')
      const hash = createHash('sha256').update('coffer-pow-v1:C:').update(counter).digest('hex')
      const zeros = 256 - BigInt(`0x${hash}`).toString(2).length
      const solved = { challenge: 'C', nonce: tried }
      return isSolution(solved, zeros) && !isSolution(solved, zeros + 1)
    }),
  )
})

test('every purpose has a challenge of its own', () => {
  const all = purposes.map((purpose) =>
    issueChallenge(key, { purpose, random, difficulty: 8 }, now),
  )
  expect(new Set(all).size).toBe(6)
})

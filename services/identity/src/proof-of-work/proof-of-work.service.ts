import { hkdfSync } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import type { Signer } from '@coffer/kit/rpc/caller'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { ProofOfWork } from '@coffer/proto/identity/v1/proof_of_work'
import { hashOf } from '../book/secret.ts'
import type { IdentityDeps } from '../deps.ts'
import { consumeChallenge } from './consumed-challenge.sql.ts'
import { type ChallengePurpose, findSolutionFault, type Terms } from './proof-of-work.ts'

type Deps = Pick<IdentityDeps, 'config' | 'database' | 'signer' | 'clock'>

// Time in ms for which consumed challenges are stored beyond their lifetime, because a process
// whose clock is slow accepts a challenge for longer.
const clockSkewMs = 60_000

/**
 * Verifies and consumes a solved challenge, even if the request then fails. Does nothing if proof
 * of work is off. Throws invalid for a missing solution, and refused (400) if it is wrong, expired,
 * consumed before or made for another purpose.
 */
export async function consumeProofOfWork(
  { config, database, signer, clock }: Deps,
  purpose: ChallengePurpose,
  solution: ProofOfWork | undefined,
): Promise<void> {
  if (!config.proofOfWorkEnabled) return
  if (!solution) throw invalid({ challenge: say('KEY_MISSING') })
  const { challenge, nonce } = solution
  const terms = termsOf(config)
  const now = clock()
  const fault = findSolutionFault(challengeKeyOf(signer), { challenge, nonce, purpose }, terms, now)
  if (fault === 'expired') throw refused(say('CHALLENGE_EXPIRED'))
  if (fault) throw refused(say('CHALLENGE_UNSOLVED'))
  const expiresAt = new Date(now.getTime() + terms.lifetimeSeconds * 1000 + clockSkewMs)
  const isFirst = await consumeChallenge(database, { challengeHash: hashOf(challenge), expiresAt })
  if (!isFirst) throw refused(say('CHALLENGE_USED'))
}

/** Returns the configured terms of challenges. */
export function termsOf(config: Deps['config']): Terms {
  const { proofOfWorkDifficulty, proofOfWorkSeconds } = config
  return { difficulty: proofOfWorkDifficulty, lifetimeSeconds: proofOfWorkSeconds }
}

const challengeKeys = new WeakMap<Signer, Buffer>()

/**
 * Derives the HMAC key of challenges by HKDF (RFC 5869). All processes of identity share the
 * signing key, so that each can verify every challenge.
 */
export function challengeKeyOf(signer: Signer): Buffer {
  let key = challengeKeys.get(signer)
  if (!key) {
    const seed = Buffer.from(signer.key.export({ format: 'jwk' }).d ?? '', 'base64url')
    key = Buffer.from(hkdfSync('sha256', seed, '', 'coffer proof of work v1', 32))
    challengeKeys.set(signer, key)
  }
  return key
}

import { hkdfSync, randomBytes } from 'node:crypto'
import type { Signer } from '@coffer/kit/rpc/caller'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { ProofOfWork, ProofOfWorkService } from '@coffer/proto/identity/v1/proof_of_work'
import type { ServiceImpl } from '@connectrpc/connect'
import type { IdentityDeps } from '../service.ts'
import { hashOf } from '../sign-in/secret.ts'
import {
  challengeRandomBytes,
  issueChallenge,
  type Purpose,
  proofFault,
  purposes,
  type Terms,
} from './proof-of-work.ts'
import { spendChallenge } from './spent-challenge.sql.ts'

type Deps = Pick<IdentityDeps, 'config' | 'database' | 'signer' | 'clock'>

// A spent challenge is remembered beyond its life: clocks of processes differ.
const rememberedForMs = 60_000

/** Challenges (spec/identity.md 5.2); 404 where proof of work is off. */
export function proofOfWork({
  config,
  signer,
  clock,
}: Deps): ServiceImpl<typeof ProofOfWorkService> {
  const { difficulty, lifetimeSeconds: ttl } = termsOf(config)
  return {
    issueChallenge: (request) => {
      if (!config.proofOfWorkEnabled) {
        throw refused('proof of work is not enabled', { status: 404 })
      }
      const purpose = purposes.find((one) => one === request.purpose)
      if (!purpose) throw invalid({ purpose: `must be one of: ${purposes.join(', ')}` })
      const random = randomBytes(challengeRandomBytes)
      const challenge = issueChallenge(keyOf(signer), { purpose, random, difficulty }, clock())
      return { challenge, difficulty, ttl }
    },
  }
}

/**
 * Where proof of work is on, throws unless the challenge was made here for that purpose, is solved
 * and was not used before; then it is used up, whatever becomes of the request.
 */
export async function spendProofOfWork(
  { config, database, signer, clock }: Deps,
  purpose: Purpose,
  proof: ProofOfWork | undefined,
): Promise<void> {
  if (!config.proofOfWorkEnabled) return
  if (!proof) throw invalid({ challenge: 'required key is missing' })
  const { challenge, nonce } = proof
  const terms = termsOf(config)
  const now = clock()
  const fault = proofFault(keyOf(signer), { challenge, nonce, purpose }, terms, now)
  if (fault === 'expired') throw refused('the challenge has expired: ask for another')
  if (fault) throw refused('the proof of work is not valid')
  const expiresAt = new Date(now.getTime() + terms.lifetimeSeconds * 1000 + rememberedForMs)
  const isFirst = await spendChallenge(database, { challengeHash: hashOf(challenge), expiresAt })
  if (!isFirst) throw refused('the challenge was used already: ask for another')
}

function termsOf(config: Deps['config']): Terms {
  const { proofOfWorkDifficulty, proofOfWorkSeconds } = config
  return { difficulty: proofOfWorkDifficulty, lifetimeSeconds: proofOfWorkSeconds }
}

const keys = new WeakMap<Signer, Buffer>()

/** The key of challenges, from the one that every process of the service shares (RFC 5869). */
function keyOf(signer: Signer): Buffer {
  let key = keys.get(signer)
  if (!key) {
    const seed = Buffer.from(signer.key.export({ format: 'jwk' }).d ?? '', 'base64url')
    key = Buffer.from(hkdfSync('sha256', seed, '', 'coffer proof of work v1', 32))
    keys.set(signer, key)
  }
  return key
}

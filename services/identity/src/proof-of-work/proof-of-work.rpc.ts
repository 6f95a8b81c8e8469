import { randomBytes } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { ProofOfWorkService } from '@coffer/proto/identity/v1/proof_of_work'
import type { ServiceImpl } from '@connectrpc/connect'
import type { IdentityDeps } from '../deps.ts'
import { challengeKeyOf, termsOf } from './proof-of-work.service.ts'
import { challengeRandomBytes, issueChallenge, purposes } from './proof-of-work.ts'

type Deps = Pick<IdentityDeps, 'config' | 'signer' | 'clock'>

/** Returns the RPC that issues challenges; it throws refused (404) if proof of work is off. */
export function proofOfWork(deps: Deps): ServiceImpl<typeof ProofOfWorkService> {
  const { config, signer, clock } = deps
  const { difficulty, lifetimeSeconds: ttl } = termsOf(config)
  return {
    issueChallenge: (request) => {
      if (!config.proofOfWorkEnabled) throw refused(say('PROOF_OF_WORK_OFF'), { status: 404 })
      const purpose = purposes.find((one) => one === request.purpose)
      if (!purpose) throw invalid({ purpose: say('NOT_ONE_OF', { values: purposes.join(', ') }) })
      const wanted = { purpose, random: randomBytes(challengeRandomBytes), difficulty }
      const challenge = issueChallenge(challengeKeyOf(signer), wanted, clock())
      return { challenge, difficulty, ttl }
    },
  }
}

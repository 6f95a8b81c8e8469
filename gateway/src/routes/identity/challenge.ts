import { toRest } from '@coffer/kit/rpc/message'
import {
  IssueChallengeResponseSchema,
  ProofOfWorkService,
} from '@coffer/proto/identity/v1/proof_of_work'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { oneOf } from '../../http/bodies/fields.ts'
import { challengePurposes } from '../../http/proof-of-work.ts'
import { requireOfferedFeature } from '../../http/required-feature.ts'
import { type Route, route } from '../../http/route.ts'

/** Routes of proof-of-work challenges (docs/sign-in.md#proof-of-work). */
export function challengeRoutes({ mesh }: RouteDeps): Route[] {
  const proofOfWork = mesh.client('identity', ProofOfWorkService)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/challenge',
      summary: 'Issue a proof-of-work challenge for one request of the purpose',
      auth: 'none',
      body: z.strictObject({ purpose: oneOf(challengePurposes) }),
      find: requireOfferedFeature(mesh, 'proofOfWorkEnabled'),
      answer: IssueChallengeResponseSchema,
      handler: async ({ body, options }) => {
        const challenge = await proofOfWork.issueChallenge(body, options)
        return toRest(IssueChallengeResponseSchema, challenge)
      },
    }),
  ]
}

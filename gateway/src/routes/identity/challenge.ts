import { toRest } from '@coffer/kit/rpc/message'
import {
  IssueChallengeResponseSchema,
  ProofOfWorkService,
} from '@coffer/proto/identity/v1/proof_of_work'
import { z } from 'zod'
import { oneOf } from '../../http/bodies/fields.ts'
import { requireOffered } from '../../http/offered.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'
import { workPurposes } from '../../http/work.ts'

/** Challenges to solve before a request that costs work (spec/identity.md 5.2). */
export function challengeRoutes({ mesh }: RouteDeps): Route[] {
  const proofOfWork = mesh.client('identity', ProofOfWorkService)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/challenge',
      summary: 'A challenge to solve before one request of that purpose',
      auth: 'none',
      body: z.strictObject({ purpose: oneOf(workPurposes) }),
      find: requireOffered(mesh, 'proofOfWorkEnabled'),
      answer: IssueChallengeResponseSchema,
      handler: async ({ body, options }) => {
        const challenge = await proofOfWork.issueChallenge(body, options)
        return toRest(IssueChallengeResponseSchema, challenge)
      },
    }),
  ]
}

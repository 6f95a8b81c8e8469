import { InstitutionSchema, InstitutionService } from '@coffer/proto/aggregatorsync/v1/institution'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { type Route, route } from '../../http/route.ts'

// Timeout in ms of a look-up by aggregator-sync, whose own timeout for the aggregator is 12 s.
const lookUpTimeoutMs = 15_000

const status = {
  type: 'object',
  additionalProperties: { type: 'object' },
  description: 'State of each product by its name in snake case, in the words of the aggregator',
}

/** Returns the routes of institutions (docs/links.md#institutions). */
export function institutionRoutes({ mesh }: RouteDeps): Route[] {
  const institutions = mesh.client('aggregator-sync', InstitutionService)
  return [
    route({
      id: 'getInstitution',
      tag: 'Aggregator',
      method: 'GET',
      path: '/api/institutions/:institutionId',
      summary: 'An institution as the aggregator describes it, at most 30 minutes old',
      description: 'An unknown institution is 404, a failure of the aggregator 500.',
      since: '0.2.0',
      auth: 'paidSession',
      feature: 'aggregator',
      answer: { message: InstitutionSchema, with: { status: { json: status } } },
      handler: async ({ params, options }) => {
        const slow = { ...options, timeoutMs: lookUpTimeoutMs }
        const found = await institutions.getInstitution(params, slow)
        const message = requirePart(found.institution)
        return { message, status: JSON.parse(message.statusJson) as unknown }
      },
    }),
  ]
}

import {
  EstimateCostResponseSchema,
  ForecastSchema,
  ForecastService,
  GetNextContributionResponseSchema,
} from '@coffer/proto/budgeting/v1/forecast'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { z } from 'zod'
import {
  exactly,
  id,
  notNegativeMoney,
  positiveMoney,
  ruleset,
  timestamp,
} from '../../http/bodies/fields.ts'
import { optionalInstant } from '../../http/query.ts'
import { given, rendered } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'
import { valuesOf } from '../../http/update.ts'

const plan = {
  fundingScheduleId: id('fund'),
  targetAmount: positiveMoney,
  currentAmount: notNegativeMoney.optional(),
  nextRecurrence: timestamp,
}

/** The shape of an expense or of a goal; both are reported (spec/budgeting.md 8.5). */
const virtual = z.union([
  z.strictObject({ spendingType: exactly('expense'), ...plan, recurrenceRule: ruleset }),
  z.strictObject({
    spendingType: exactly('goal'),
    ...plan,
    recurrenceRule: z.null({ error: 'must be null: goals do not recur' }).optional(),
  }),
])

const pictureType = 'image/svg+xml'
/** A picture runs nothing and loads nothing. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** What the plans come to when everything happens as planned (spec/budgeting.md 8). */
export function forecastRoutes({ mesh, charts }: RouteDeps): Route[] {
  const forecasts = mesh.client('budgeting', ForecastService)
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/forecast',
      summary: 'What envelopes will hold and what will be free to use; also as image/svg+xml',
      auth: 'key',
      query: z.object({ end: optionalInstant }),
      answer: ForecastSchema,
      alternative: pictureType,
      handler: async ({ params, query, options, request, reply }) => {
        const asked = { ...valuesOf(query), ...params }
        const { forecast, labels } = await forecasts.getForecast(asked, options)
        reply.header('vary', 'accept')
        if (!prefersPicture(request)) return rendered(ForecastSchema, forecast)
        const picture = { forecast: given(forecast), labels: given(labels) }
        return reply
          .header('content-type', `${pictureType}; charset=utf-8`)
          .header('content-security-policy', picturePolicy)
          .send(await charts.run(picture))
      },
    }),
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/forecast/spending',
      summary: 'What an expense or goal that does not exist would get from each funding',
      auth: 'key',
      reads: true,
      body: virtual,
      answer: EstimateCostResponseSchema,
      handler: async ({ params, body, options }) => {
        const { spendingType: _, ...asked } = valuesOf(body)
        const estimated = await forecasts.estimateCost({ ...asked, ...params }, options)
        return rendered(EstimateCostResponseSchema, estimated)
      },
    }),
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/forecast/next_funding',
      summary: 'What the next firing of a funding schedule moves into its envelopes',
      auth: 'key',
      reads: true,
      body: z.strictObject({ fundingScheduleId: id('fund') }),
      answer: GetNextContributionResponseSchema,
      handler: async ({ params, body, options }) => {
        const next = await forecasts.getNextContribution({ ...body, ...params }, options)
        return rendered(GetNextContributionResponseSchema, next)
      },
    }),
  ]
}

/** Whether a picture is rather wanted than JSON, as an `img` of a page does. */
function prefersPicture(request: FastifyRequest): boolean {
  const preferred = new Negotiator(request.raw).mediaType(['application/json', pictureType])
  return preferred === pictureType
}

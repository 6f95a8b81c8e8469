import {
  EstimateCostResponseSchema,
  ForecastSchema,
  ForecastService,
  GetNextContributionResponseSchema,
} from '@coffer/proto/budgeting/v1/forecast'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import {
  exactly,
  id,
  notNegativeMoney,
  positiveMoney,
  ruleset,
  timestamp,
} from '../../http/fields/fields.ts'
import { prefersToJson } from '../../http/negotiation.ts'
import { optionalEnd } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

const plan = {
  fundingScheduleId: id('fund').describe('Funding schedule that would move the contributions'),
  targetAmount: positiveMoney.describe('Amount needed by the due date, in minor units; above 0'),
  currentAmount: notNegativeMoney
    .optional()
    .describe(
      'Amount in the envelope at the start, in minor units. ' +
        'Default, also for 0: what the envelope of `spendingId` holds, else 0',
    ),
  spendingId: id('spnd')
    .optional()
    .describe(
      'Expense or goal that is to be changed to this: `nextContribution` counts what was already ' +
        'spent from its envelope',
    ),
  nextRecurrence: timestamp.describe('Instant of the first due date'),
}

/** An expense or a goal that is not stored (docs/forecast.md). */
const hypothetical = z.union([
  z.strictObject({
    spendingType: exactly('expense').describe('An expense: due repeatedly by its rule'),
    ...plan,
    recurrenceRule: ruleset.describe(
      'Rule of the due dates: DTSTART line, LF, RRULE line (RFC 5545; docs/recurrence.md)',
    ),
  }),
  z.strictObject({
    spendingType: exactly('goal').describe('A goal: due once'),
    ...plan,
    recurrenceRule: z
      .null({ error: 'must be null: goals do not recur' })
      .optional()
      .describe('Null or not sent: goals do not recur'),
  }),
])

const pictureType = 'image/svg+xml'
/** An SVG document may contain scripts: this CSP forbids scripts and all requests. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Returns the routes of forecasts (docs/forecast.md). */
export function forecastRoutes({ mesh, charts }: RouteDeps): Route[] {
  const forecasts = mesh.client('budgeting', ForecastService)
  const accounts = mesh.client('ledger', BankAccountService)
  return [
    forecastRoute(forecasts, charts),
    route({
      id: 'estimateSpending',
      tag: 'Forecasts',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/forecast/spending',
      summary: 'Contributions of each funding to a planned or changed expense or goal',
      description:
        'Stores nothing. Answers the most frequent contribution above 0 in two years ' +
        '(docs/forecast.md).',
      since: '0.1.0',
      auth: 'key',
      reads: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: hypothetical,
      answer: EstimateCostResponseSchema,
      handler: async ({ params, body, options }) => {
        const { spendingType: _, ...asked } = valuesOf(body)
        return forecasts.estimateCost({ ...asked, ...params }, options)
      },
    }),
    route({
      id: 'estimateNextFunding',
      tag: 'Forecasts',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/forecast/next_funding',
      summary: 'Contributions of the next funding of a funding schedule',
      description: 'Stores nothing. Answers the sum over all envelopes of the schedule.',
      since: '0.1.0',
      auth: 'key',
      reads: true,
      find: ({ params, options }) => accounts.describeBankAccount(params, options),
      body: z.strictObject({
        fundingScheduleId: id('fund').describe('Funding schedule whose next funding is forecast'),
      }),
      answer: GetNextContributionResponseSchema,
      handler: ({ params, body, options }) =>
        forecasts.getNextContribution({ ...body, ...params }, options),
    }),
  ]
}

function forecastRoute(
  forecasts: Client<typeof ForecastService>,
  charts: RouteDeps['charts'],
): Route {
  return route({
    id: 'getForecast',
    tag: 'Forecasts',
    method: 'GET',
    path: '/api/bank_accounts/:bankAccountId/forecast',
    summary: 'Forecast of envelopes and free-to-use money; also as image/svg+xml',
    description:
      'Read-only. Answers a chart if Accept prefers image/svg+xml. A forecast of too many ' +
      'events is 400: ask for less time (docs/forecast.md).',
    since: '0.1.0',
    auth: 'key',
    query: z.object({
      end: optionalEnd.describe(
        "End of the forecast: a day, included, in the account's timezone, or an instant. Now " +
          'or later, at most 12 months ahead. Default: 90 days ahead',
      ),
    }),
    answer: ForecastSchema,
    alternative: pictureType,
    handler: async ({ params, query, options, request, reply }) => {
      const asked = { ...query.end, ...params }
      const { forecast, labels } = await forecasts.getForecast(asked, options)
      if (!prefersToJson(request, pictureType)) return forecast
      const picture = { forecast: requirePart(forecast), labels: requirePart(labels) }
      return reply
        .header('content-type', `${pictureType}; charset=utf-8`)
        .header('content-security-policy', picturePolicy)
        .send(await charts.run(picture))
    },
  })
}

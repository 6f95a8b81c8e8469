import { SpendingSchema, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'

const one = '/api/bank_accounts/:bankAccountId/spending/:spendingId'
const path = `${one}/settle` as const

/** Common keys of the routes below: the body is empty and optional, retries are idempotent. */
const action = {
  since: '0.4.0',
  auth: 'key',
  idempotent: true,
  tagged: true,
  body: z.strictObject({}),
  isBodyOptional: true,
} as const

/** Returns the routes of bills that are paid early, paid late, or skipped (docs/plans.md). */
export function billRoutes({ mesh }: RouteDeps): Route[] {
  const spending = mesh.client('budgeting', SpendingService)
  const find = ({ params, options }: Lookup<{ bankAccountId: string; spendingId: string }>) =>
    spending.getSpending(params, options)
  return [
    route({
      id: 'settleSpending',
      tag: 'Spending',
      method: 'POST',
      path,
      summary: 'Mark the next bill of an expense as paid',
      description:
        'Contributions and the forecast are then for the due date after it, and the due date ' +
        'passes without emptying the envelope. Moves no money. Not for goals ' +
        '(docs/plans/bills.md#bills-paid-early).',
      ...action,
      find,
      answers: { 409: 'Another request is deleting the expense' },
      answer: SpendingSchema,
      handler: async ({ params, writeOptions }) =>
        (await spending.settleSpending(params, writeOptions)).spending,
    }),
    route({
      id: 'unsettleSpending',
      tag: 'Spending',
      method: 'DELETE',
      path,
      summary: 'Undo the marking of the next bill as paid',
      description:
        'An expense that settles by itself stays settled while its target is spent ' +
        '(docs/plans/bills.md#bills-paid-early).',
      since: '0.4.0',
      auth: 'key',
      isConditional: true,
      tagged: true,
      answers: { 409: 'Another request is deleting the expense' },
      answer: { message: SpendingSchema, with: hintKeys },
      handler: async ({ params, options }) => {
        const changed = await spending.unsettleSpending(params, options)
        return { message: requirePart(changed.spending), ...hintsOf(changed) }
      },
    }),
    graceRoute(spending),
    route({
      id: 'skipSpending',
      tag: 'Spending',
      method: 'POST',
      path: `${one}/skip`,
      summary: 'Leave out the next due date of an expense',
      description:
        'nextRecurrence becomes the due date after it; a PATCH of nextRecurrence undoes that. ' +
        'Moves no money. Not for goals (docs/plans/bills.md#due-dates-left-out).',
      ...action,
      find,
      answers: { 409: 'Another request is deleting the expense, or has changed its due date' },
      answer: SpendingSchema,
      handler: async ({ params, writeOptions }) =>
        (await spending.skipSpending(params, writeOptions)).spending,
    }),
  ]
}

function graceRoute(spending: Client<typeof SpendingService>): Route {
  return route({
    id: 'endGrace',
    tag: 'Spending',
    method: 'DELETE',
    path: `${one}/grace`,
    summary: 'Mark the late bill of an expense as paid',
    description:
      'Ends the days in which money of the former period waits for its bill: graceAmount is ' +
      'free to use at once, or stays with carryOver. Without graceUntil, nothing changes ' +
      '(docs/plans/bills.md#bills-paid-late).',
    since: '0.4.0',
    auth: 'key',
    isConditional: true,
    tagged: true,
    answers: { 409: 'Another request is deleting the expense' },
    answer: SpendingSchema,
    handler: async ({ params, options }) => (await spending.endGrace(params, options)).spending,
  })
}

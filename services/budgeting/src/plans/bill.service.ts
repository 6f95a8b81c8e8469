import { create } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  SettleSpendingResponseSchema,
  SpendingSchema,
  type SpendingService,
  UnsettleSpendingResponseSchema,
} from '@coffer/proto/budgeting/v1/spending'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { FundedSpending } from '../book/spending.ts'
import { settle, unsettle } from '../contributions/settled-bill.ts'
import { describeWritable, findEnvelope, onBehalfOf } from '../ledger/ledger.client.ts'
import { withAmounts, withContribution } from './plan.ts'
import { onPlan, requireNotClosing } from './plan-works.ts'
import type { Decision } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'> & Pick<PlanWriter, 'write'>
type Handlers = ServiceImpl<typeof SpendingService>

/** Returns the RPC handlers of bills that are paid early (docs/plans.md#bills-paid-early). */
export function billRoutes(deps: Deps): Pick<Handlers, 'settleSpending' | 'unsettleSpending'> {
  const { database } = deps
  return {
    settleSpending: (request, context) =>
      once({ database, context, reply: SettleSpendingResponseSchema }, (key) =>
        changeBill(deps, request, {
          context,
          change: settle,
          answer: (plan) => {
            const spending = toMessage(SpendingSchema, plan)
            const reply = create(SettleSpendingResponseSchema, { spending })
            return { reply, replies: keptReplies(key, reply) }
          },
        }),
      ),
    unsettleSpending: (request, context) =>
      changeBill(deps, request, {
        context,
        change: unsettle,
        answer: (plan) => {
          const spending = toMessage(SpendingSchema, plan)
          return { reply: create(UnsettleSpendingResponseSchema, { spending }) }
        },
      }),
  }
}

interface BillChange<Reply> {
  context: HandlerContext
  /** Pure decision on the plan with the ledger's amounts; may throw a refusal. */
  change: (plan: FundedSpending, now: Date) => FundedSpending
  answer: (plan: FundedSpending) => Pick<Decision<Reply>, 'reply' | 'replies'>
}

/** Changes the bill of an expense, and its contribution with it. Throws notFound. */
async function changeBill<Reply>(
  deps: Deps,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  { context, change, answer }: BillChange<Reply>,
): Promise<Reply> {
  const { accountId, timezone } = callerOf(context)
  const key = { accountId, bankAccountId, spendingId }
  const [envelope] = await Promise.all([
    findEnvelope(deps, key, onBehalfOf(context)),
    describeWritable(deps, bankAccountId, context),
  ])
  if (!envelope) throw notFound('spending')
  const asOf = { timezone, now: deps.clock() }
  return deps.write({
    timezone,
    ...onPlan(key, (current) => {
      if (!current) throw notFound('spending')
      requireNotClosing(current, asOf.now)
      requireMatch(context, SpendingSchema, toMessage(SpendingSchema, current))
      const changed = change(withAmounts(current, envelope, asOf), asOf.now)
      const plan = withContribution(changed, asOf)
      return { ...answer(plan), plans: [plan] }
    }),
    signal: context.signal,
  })
}

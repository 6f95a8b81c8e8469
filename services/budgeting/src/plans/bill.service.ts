import { create, type Message } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type IdempotencyKey, keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  EndGraceResponseSchema,
  SettleSpendingResponseSchema,
  SkipSpendingResponseSchema,
  type Spending as SpendingMessage,
  SpendingSchema,
  type SpendingService,
  UnsettleSpendingResponseSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { FundedSpending } from '../book/spending.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { settle, skip, unsettle } from '../contributions/settled-bill.ts'
import { describeWritable, findEnvelope, onBehalfOf } from '../ledger/ledger.client.ts'
import { withAmounts, withContribution } from './plan.ts'
import { onPlan, requireNotClosing } from './plan-works.ts'
import type { FindPlans } from './spending.sql.ts'
import type { Decision } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'> &
  Pick<PlanWriter, 'write'> & { findPlans: FindPlans; config: { expenseCarryOver: boolean } }
type Handlers = ServiceImpl<typeof SpendingService>

/** Returns the RPC handlers of bills that are paid early or late, or left out (docs/plans.md). */
export function billRoutes(
  deps: Deps,
): Pick<Handlers, 'settleSpending' | 'unsettleSpending' | 'skipSpending' | 'endGrace'> {
  const { database } = deps
  return {
    settleSpending: (request, context) =>
      once({ database, context, reply: SettleSpendingResponseSchema }, (key) =>
        changeBill(deps, request, {
          context,
          change: (plan, { now }) => settle(plan, now),
          answer: (spending) => kept(key, create(SettleSpendingResponseSchema, { spending })),
        }),
      ),
    skipSpending: (request, context) =>
      once({ database, context, reply: SkipSpendingResponseSchema }, async (key) => {
        const due = await noteSkipped(deps, request, context)
        return changeBill(deps, request, {
          context,
          change: (plan, asOf) => {
            const isSame = plan.nextRecurrence.getTime() === due.getTime()
            if (!isSame) throw refused(moved, { status: 409 })
            return skip(plan, asOf)
          },
          answer: (spending) => kept(key, create(SkipSpendingResponseSchema, { spending })),
        })
      }),
    endGrace: async (request, context) => {
      await bookGraceEnd(deps, request, context)
      return changeBill(deps, request, {
        context,
        change: (plan) => plan,
        answer: (spending) => ({ reply: create(EndGraceResponseSchema, { spending }) }),
      })
    },
    unsettleSpending: (request, context) =>
      changeBill(deps, request, {
        context,
        change: unsettle,
        answer: (spending) => {
          const hints = spending.settledAt ? [staysSettled] : []
          return { reply: create(UnsettleSpendingResponseSchema, { spending, hints }) }
        },
      }),
  }
}

/** Returns a decision that also stores its reply under the Idempotency-Key of the request. */
function kept<Reply extends Message>(key: IdempotencyKey | null, reply: Reply) {
  return { reply, replies: keptReplies(key, reply) }
}

const staysSettled = say('BILL_SETTLES_ITSELF')

const moved = say('BILL_MOVED')

/**
 * Journals the due date that a request skips, and returns it. The journal comes before the change
 * of the plan, so that a request repeated after a failure completes both. Throws the refusals of
 * the change first, because a journaled date stays.
 */
async function noteSkipped(
  deps: Deps,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  context: HandlerContext,
): Promise<Date> {
  const { mesh, clock } = deps
  const { timezone } = callerOf(context)
  const plan = await findChangeable(deps, { bankAccountId, spendingId }, context)
  skip(plan, { timezone, now: clock() })
  const due = plan.nextRecurrence
  const ledger = mesh.client('ledger', EnvelopeService)
  const skipped = { bankAccountId, spendingId, due: timestampFromDate(due) }
  await ledger.noteSkippedPeriod(skipped, onBehalfOf(context))
  return due
}

/**
 * Ends the grace of an expense (docs/money/grace.md) in the ledger, as the hourly job does when it
 * is over; does nothing if no grace is running. Runs before the change of the plan, so that a
 * request repeated after a failure completes both.
 */
async function bookGraceEnd(
  deps: Deps,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  context: HandlerContext,
): Promise<void> {
  const key = { bankAccountId, spendingId }
  const asOf = { timezone: callerOf(context).timezone, now: deps.clock() }
  const stored = await findChangeable(deps, key, context)
  const envelope = await findEnvelope(deps, key, onBehalfOf(context))
  if (!envelope) throw notFound('spending')
  const { graceUntil, carryOver, lastRecurrence } = withAmounts(stored, envelope, asOf)
  if (graceUntil === null) return
  const end = {
    ...key,
    graceUntil: timestampFromDate(graceUntil),
    carryOver: carryOver ?? deps.config.expenseCarryOver,
    ...(lastRecurrence ? { due: timestampFromDate(lastRecurrence) } : {}),
  }
  await deps.mesh.client('ledger', EnvelopeService).endGrace(end, onBehalfOf(context))
}

/**
 * Returns the stored plan of a request. Throws notFound, and refused if the bank account is
 * archived, the plan is being deleted, or the client requires another state of it (If-Match).
 */
async function findChangeable(
  deps: Deps,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  context: HandlerContext,
): Promise<FundedSpending> {
  const { accountId } = callerOf(context)
  const [[plan]] = await Promise.all([
    deps.findPlans({ accountId, bankAccountId, spendingIds: [spendingId] }),
    describeWritable(deps, bankAccountId, context),
  ])
  if (!plan) throw notFound('spending')
  requireNotClosing(plan, deps.clock())
  requireMatch(context, SpendingSchema, toMessage(SpendingSchema, plan))
  return plan
}

interface BillChange<Reply> {
  context: HandlerContext
  /** Pure decision on the plan with the ledger's amounts; may throw a refusal. */
  change: (plan: FundedSpending, asOf: AsOf) => FundedSpending
  answer: (spending: SpendingMessage) => Pick<Decision<Reply>, 'reply' | 'replies'>
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
      const changed = change(withAmounts(current, envelope, asOf), asOf)
      const plan = withContribution(changed, asOf)
      return { ...answer(toMessage(SpendingSchema, plan)), plans: [plan] }
    }),
    signal: context.signal,
  })
}

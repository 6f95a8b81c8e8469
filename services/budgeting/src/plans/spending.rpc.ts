import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  ExplanationSchema,
  SpendingSchema,
  type SpendingService,
} from '@coffer/proto/budgeting/v1/spending'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { FundedSpending, PlanKey } from '../book/spending.ts'
import type { settings } from '../config.ts'
import { explain } from '../contributions/explanation.ts'
import { renderSentences, type Style } from '../contributions/explanation-text.ts'
import { findAfterFailure, findEnvelope, onBehalfOf } from '../ledger/ledger.client.ts'
import { billRoutes } from './bill.service.ts'
import { compose } from './plan.ts'
import { beginClosing, deletePlan } from './plan-works.ts'
import { getPresentPlan } from './present-plan.service.ts'
import { type FindPlans, listSpending } from './spending.sql.ts'
import { updateSpending } from './spending-change.service.ts'
import { createSpending } from './spending-creation.service.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'mesh' | 'clock' | 'log' | 'config'> &
  Pick<PlanWriter, 'write'> & { findPlans: FindPlans }

/** Returns the RPC handlers of spending objects (docs/plans.md). */
export function spendingRoutes(deps: Deps): ServiceImpl<typeof SpendingService> {
  const { database, mesh, clock, findPlans } = deps
  const ledger = mesh.client('ledger', EnvelopeService)
  const scopeOf = (bankAccountId: string, context: HandlerContext) => {
    const { accountId, timezone } = callerOf(context)
    return { scope: { accountId, bankAccountId }, asOf: { timezone, now: clock() } }
  }
  return {
    ...billRoutes(deps),
    listSpending: async ({ bankAccountId }, context) => {
      const { scope, asOf } = scopeOf(bankAccountId, context)
      const [plans, { envelopes }] = await Promise.all([
        listSpending(database, scope),
        ledger.listEnvelopes({ bankAccountId }, onBehalfOf(context)),
      ])
      return { spending: compose(plans, envelopes, asOf) }
    },
    getSpending: async (request, context) => {
      const plan = await getPresentPlan(deps, request, context)
      return { spending: toMessage(SpendingSchema, plan) }
    },
    explainSpending: async (request, context) => {
      const { timezone, locale } = callerOf(context)
      const bankAccounts = mesh.client('ledger', BankAccountService)
      const [plan, { balances }] = await Promise.all([
        getPresentPlan(deps, request, context),
        bankAccounts.getBalances({ bankAccountId: request.bankAccountId }, onBehalfOf(context)),
      ])
      const { language } = request
      const { currency = 'USD', isCredit = false, limit = 0n } = balances ?? {}
      const payer = !isCredit ? 'free' : limit > 0n ? 'credit' : 'debt'
      const keepsUnspent = plan.carryOver ?? deps.config.expenseCarryOver
      const style: Style = { currency, locale, timezone, language, payer, keepsUnspent }
      return { explanation: createExplanation(plan, style) }
    },
    createSpending: (request, context) => createSpending(deps, request, context),
    updateSpending: (request, context) => updateSpending(deps, request, context),
    deleteSpending: async ({ bankAccountId, spendingId }, context) => {
      const { scope } = scopeOf(bankAccountId, context)
      await deleteSpending(deps, { ...scope, spendingId }, context)
      return {}
    },
    recalculateSpending: async ({ bankAccountId, envelopes }, context) => {
      const { scope, asOf } = scopeOf(bankAccountId, context)
      const spendingIds = envelopes.map(({ spendingId }) => spendingId)
      const plans = await findPlans({ ...scope, spendingIds })
      return { spending: compose(plans, envelopes, asOf) }
    },
  }
}

/**
 * Deletes a spending object: marks its plan, closes its envelope in the ledger, then deletes the
 * plan. The closed envelope is committed, so a failure of the last step does not fail the request:
 * the consumer of the ledger's event repeats it (docs/plans.md#creating-changing-and-deleting).
 */
async function deleteSpending(deps: Deps, key: PlanKey, context: HandlerContext): Promise<void> {
  const { bankAccountId, spendingId } = key
  const options = onBehalfOf(context)
  // Looked up before the plan is marked for deletion, so that the request changes nothing while the
  // ledger is unreachable.
  if (!(await findEnvelope(deps, key, options))) throw notFound('spending')
  const check = (plan: FundedSpending) =>
    requireMatch(context, SpendingSchema, toMessage(SpendingSchema, plan))
  const closing = beginClosing(key, { now: deps.clock(), check })
  const name = await deps.write({ ...closing, signal: context.signal })
  try {
    const ledger = deps.mesh.client('ledger', EnvelopeService)
    await ledger.closeEnvelope({ bankAccountId, spendingId, name }, options)
  } catch (error) {
    // The failed call may have closed the envelope nevertheless. The plan is then deleted, too.
    if (await findAfterFailure(deps, key, { error, options })) throw error
  }
  try {
    await deps.write(deletePlan(key))
  } catch (error) {
    deps.log.warn({ err: error, spendingId }, 'the event of the envelope will delete its plan')
  }
}

/** Explains the contribution that a GET of the plan returns (docs/plans.md#the-explanation). */
function createExplanation(plan: FundedSpending, style: Style) {
  const { timezone } = style
  const explanation = explain(plan, { timezone, now: plan.calculatedAt })
  return toMessage(ExplanationSchema, {
    ...explanation,
    spendingId: plan.spendingId,
    targetAmount: plan.targetAmount,
    heldContribution: plan.isPaused ? 0n : explanation.heldContribution,
    sentences: renderSentences(plan, explanation, style),
    dueDates: explanation.dueDates.map(timestampFromDate),
    fundingDates: explanation.fundingDates.map(timestampFromDate),
    skippedDates: explanation.skippedDates.map(timestampFromDate),
  })
}

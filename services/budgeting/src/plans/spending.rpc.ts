import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { SpendingSchema, type SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { explainSpending } from '../contributions/explanation.rpc.ts'
import { type AsOf, withAmounts } from './plan.ts'
import { deletePlan } from './plan-works.ts'
import { findPlans, listSpending } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'
import { updateSpending } from './spending-change.rpc.ts'
import { createSpending } from './spending-creation.rpc.ts'
import type { PlanWriter } from './writer.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'clock'> & Pick<PlanWriter, 'write'>

/** RPCs of spending objects: plans of this service with amounts of the ledger (docs/plans.md). */
export function spendingRoutes(deps: Deps): ServiceImpl<typeof SpendingService> {
  const { database, mesh, clock } = deps
  const ledger = mesh.client('ledger', EnvelopeService)
  const scopeOf = (bankAccountId: string, context: HandlerContext) => {
    const { accountId, timezone } = callerOf(context)
    return { scope: { accountId, bankAccountId }, asOf: { timezone, now: clock() } }
  }
  return {
    listSpending: async ({ bankAccountId }, context) => {
      const { scope, asOf } = scopeOf(bankAccountId, context)
      const [plans, { envelopes }] = await Promise.all([
        listSpending(database, scope),
        ledger.listEnvelopes({ bankAccountId }, onBehalfOf(context)),
      ])
      return { spending: compose(plans, envelopes, asOf) }
    },
    getSpending: async ({ bankAccountId, spendingId }, context) => {
      const { scope, asOf } = scopeOf(bankAccountId, context)
      const spendingIds = [spendingId]
      const [plans, { envelopes }] = await Promise.all([
        findPlans(database, scope, spendingIds),
        ledger.listEnvelopes({ bankAccountId, spendingIds }, onBehalfOf(context)),
      ])
      const open = plans.filter(({ state }) => state === 'open')
      const [spending] = compose(open, envelopes, asOf)
      if (!spending) throw notFound('spending')
      return { spending }
    },
    explainSpending: (request, context) => explainSpending(deps, request, context),
    createSpending: (request, context) => createSpending(deps, request, context),
    updateSpending: (request, context) => updateSpending(deps, request, context),
    deleteSpending: async ({ bankAccountId, spendingId }, context) => {
      const { scope } = scopeOf(bankAccountId, context)
      const [plan] = await findPlans(database, scope, [spendingId])
      if (plan?.state !== 'open') throw notFound('spending')
      await ledger.closeEnvelope({ bankAccountId, spendingId }, onBehalfOf(context))
      await deps.write(deletePlan({ ...scope, spendingId }))
      return {}
    },
    recalculateSpending: async ({ bankAccountId, envelopes }, context) => {
      const { scope, asOf } = scopeOf(bankAccountId, context)
      const spendingIds = envelopes.map(({ spendingId }) => spendingId)
      const plans = await findPlans(database, scope, spendingIds)
      return { spending: compose(plans, envelopes, asOf) }
    },
  }
}

/**
 * Spending objects in the order of the envelopes. A plan without an open envelope is left out. The
 * contribution of an outdated plan is calculated here; the event of the change stores it later.
 */
function compose(plans: readonly FundedSpending[], envelopes: readonly Envelope[], asOf: AsOf) {
  const byId = new Map(plans.map((plan) => [plan.spendingId, plan]))
  return envelopes.flatMap((envelope) => {
    const plan = byId.get(envelope.spendingId)
    return plan ? [toMessage(SpendingSchema, withAmounts(plan, envelope, asOf))] : []
  })
}

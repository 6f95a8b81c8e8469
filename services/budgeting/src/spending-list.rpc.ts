import { toMessage } from '@coffer/kit/message'
import { onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  type Spending as SpendingMessage,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { createKeptSpending } from './kept-spending.ts'
import { type AsOf, withAmounts } from './plan.ts'
import { findPlans, listPlanHeads, type PlanScope } from './spending.sql.ts'

type List = (scope: PlanScope, asOf: AsOf, context: HandlerContext) => Promise<SpendingMessage[]>

/**
 * The spending objects of a bank account by ID. What the plans are is asked by revision, what they
 * hold of the ledger; only plans that are new, or have not seen the newest amounts, are read whole.
 */
export function createSpendingList({
  database,
  mesh,
}: Pick<ServiceDeps, 'database' | 'mesh'>): List {
  const ledger = mesh.client('ledger', EnvelopeService)
  const kept = createKeptSpending()
  return async (scope, asOf, context) => {
    const [heads, { envelopes }] = await Promise.all([
      listPlanHeads(database, scope),
      ledger.listEnvelopes({ bankAccountId: scope.bankAccountId }, onBehalfOf(context)),
    ])
    const byId = new Map(heads.map((head) => [head.spendingId, head]))
    // Looked up before anything else is awaited: what is kept goes on changing meanwhile.
    const known = new Map(
      envelopes.flatMap(({ spendingId, version }) => {
        const head = byId.get(spendingId)
        const message = head && version <= head.amountsVersion ? kept.find(head) : undefined
        return message ? [[spendingId, message] as const] : []
      }),
    )
    const unread = envelopes
      .map(({ spendingId }) => spendingId)
      .filter((spendingId) => byId.has(spendingId) && !known.has(spendingId))
    const plans = unread.length === 0 ? [] : await findPlans(database, scope, unread)
    const read = new Map(plans.map((plan) => [plan.spendingId, plan]))
    return envelopes.flatMap((envelope) => {
      const plan = read.get(envelope.spendingId)
      if (!plan) return known.get(envelope.spendingId) ?? []
      const shown = withAmounts(plan, envelope, asOf)
      const message = toMessage(SpendingSchema, shown)
      if (shown === plan) kept.keep(plan, message)
      return message
    })
  }
}

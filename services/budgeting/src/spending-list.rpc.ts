import { toMessage } from '@coffer/kit/message'
import { onBehalfOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  type Spending as SpendingMessage,
  SpendingSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { createKeptSpending, type KeptSpending, type PlanHead } from './kept-spending.ts'
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
    const unread = envelopes.filter((envelope) =>
      isUnread(kept, byId.get(envelope.spendingId), envelope),
    )
    const spendingIds = unread.map(({ spendingId }) => spendingId)
    const plans = unread.length === 0 ? [] : await findPlans(database, scope, spendingIds)
    const read = new Map(plans.map((plan) => [plan.spendingId, plan]))
    return envelopes.flatMap((envelope) => {
      const head = byId.get(envelope.spendingId)
      if (!head) return []
      const plan = read.get(envelope.spendingId)
      if (!plan) return kept.find(head) ?? []
      const shown = withAmounts(plan, envelope, asOf)
      const message = toMessage(SpendingSchema, shown)
      if (shown === plan) kept.keep(plan, message)
      return message
    })
  }
}

function isUnread(kept: KeptSpending, head: PlanHead | undefined, envelope: Envelope): boolean {
  if (!head) return false
  return envelope.version > head.amountsVersion || kept.find(head) === undefined
}

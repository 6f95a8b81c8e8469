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
import { listPlanHeads } from './plan-heads.sql.ts'
import { findPlans, type PlanScope } from './spending.sql.ts'

/** The list, unless it is the known one; the version is null while plans follow their money. */
interface VersionedList {
  spending: SpendingMessage[] | null
  version: string | null
}

type List = (
  scope: PlanScope,
  options: { asOf: AsOf; knownVersion: string | null; context: HandlerContext },
) => Promise<VersionedList>

/**
 * The spending objects of a bank account by ID. What the plans are is asked by revision, what they
 * hold of the ledger; only plans that are new, or have not seen the newest amounts, are read whole.
 */
export function createSpendingList(deps: Pick<ServiceDeps, 'database' | 'mesh'>): List {
  const { database } = deps
  const kept = createKeptSpending()
  return async (scope, { asOf, knownVersion, context }) => {
    const state = await readState(deps, scope, { knownVersion, context })
    if (!state) return { spending: null, version: knownVersion }
    const { plans: heads, envelopes } = state
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
    const isSettled = envelopes.every(({ spendingId, version }) => {
      return version <= (byId.get(spendingId)?.amountsVersion ?? version)
    })
    const spending = envelopes.flatMap((envelope) => {
      const plan = read.get(envelope.spendingId)
      if (!plan) return known.get(envelope.spendingId) ?? []
      const shown = withAmounts(plan, envelope, asOf)
      const message = toMessage(SpendingSchema, shown)
      if (shown === plan) kept.keep(plan, message)
      return message
    })
    return { spending, version: isSettled ? state.version : null }
  }
}

/** What there is in budgeting and in the ledger now; null where both are what is known. */
async function readState(
  { database, mesh }: Pick<ServiceDeps, 'database' | 'mesh'>,
  scope: PlanScope,
  { knownVersion, context }: { knownVersion: string | null; context: HandlerContext },
) {
  const ledger = mesh.client('ledger', EnvelopeService)
  const [knownPlans = null, knownEnvelopes] = knownVersion?.split(' ') ?? []
  const readPlans = (known: string | null) => listPlanHeads(database, scope, known)
  const readEnvelopes = (known: { knownVersion?: string }) =>
    ledger.listEnvelopes({ bankAccountId: scope.bankAccountId, ...known }, onBehalfOf(context))
  let [planned, held] = await Promise.all([
    readPlans(knownPlans),
    readEnvelopes(knownEnvelopes ? { knownVersion: knownEnvelopes } : {}),
  ])
  if (!planned.plans && held.isUnchanged) return null
  // One of them changed, so all of the other is needed too.
  if (!planned.plans) planned = await readPlans(null)
  if (held.isUnchanged) held = await readEnvelopes({})
  const { plans } = planned
  return {
    plans: plans ?? [],
    envelopes: held.envelopes,
    version: `${planned.version} ${held.version}`,
  }
}

import { notFound } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import type { FundedSpending } from '../book/spending.ts'
import { onBehalfOf } from '../ledger/ledger.client.ts'
import { withAmounts } from './plan.ts'
import type { FindPlans } from './spending.sql.ts'

/**
 * Returns the plan of a request, with the ledger's amounts. Throws notFound for a plan without an
 * envelope: it is being created or deleted.
 */
export async function getPresentPlan(
  { findPlans, mesh, clock }: Pick<ServiceDeps, 'mesh' | 'clock'> & { findPlans: FindPlans },
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  context: HandlerContext,
): Promise<FundedSpending> {
  const { accountId, timezone } = callerOf(context)
  const spendingIds = [spendingId]
  const ledger = mesh.client('ledger', EnvelopeService)
  const [[plan], { envelopes }] = await Promise.all([
    findPlans({ accountId, bankAccountId, spendingIds }),
    ledger.listEnvelopes({ bankAccountId, spendingIds }, onBehalfOf(context)),
  ])
  if (!plan || !envelopes[0]) throw notFound('spending')
  return withAmounts(plan, envelopes[0], { timezone, now: clock() })
}

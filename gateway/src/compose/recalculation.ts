import { type Spending, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import type { RouteDeps } from '../deps.ts'
import type { Call } from '../http/route.ts'

const recalculationTimeoutMs = 1_000

/** Returns the recalculated spending objects in the order of the envelopes; empty on failure. */
export type Recalculate = (envelopes: Envelope[], call: Call) => Promise<Spending[]>

/**
 * Returns a function that recalculates the plans of envelopes after a committed write of money.
 * Such a write is never answered with an error (docs/api.md#recalculation). If budgeting fails or
 * takes over a second, the list is empty and the answer has `Coffer-Recalculation: pending`. The
 * event of the write then recalculates the plans later.
 */
export function createRecalculation({ mesh, log }: RouteDeps): Recalculate {
  const plans = mesh.client('budgeting', SpendingService)
  return async (envelopes, call) => {
    const bankAccountId = envelopes[0]?.bankAccountId
    if (!bankAccountId) return []
    try {
      const { spending } = await plans.recalculateSpending(
        { bankAccountId, envelopes },
        { ...call.options, timeoutMs: recalculationTimeoutMs },
      )
      return spending
    } catch (error) {
      log.warn(
        { err: error, requestId: call.request.id },
        'recalculation failed: the event will do it',
      )
      call.reply.header('Coffer-Recalculation', 'pending')
      return []
    }
  }
}

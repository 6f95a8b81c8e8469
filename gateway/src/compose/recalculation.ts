import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Log } from '@coffer/kit/service/log'
import { type Spending, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import type { Call } from '../http/route.ts'
import { afterCommit } from './after-commit.ts'

const recalculationTimeoutMs = 1_000

/** Returns the recalculated spending objects in the order of the envelopes; empty on failure. */
export type Recalculate = (envelopes: Envelope[], call: Call) => Promise<Spending[]>

/**
 * Returns a function that recalculates the plans of envelopes after a committed write of money.
 * Such a write is never answered with an error (docs/api.md#recalculation). If budgeting fails or
 * takes over a second, the list is empty and the answer has `Coffer-Recalculation: pending`. The
 * event of the write then recalculates the plans later.
 */
export function createRecalculation({ mesh, log }: { mesh: Mesh; log: Log }): Recalculate {
  const plans = mesh.client('budgeting', SpendingService)
  return async (envelopes, call) => {
    const bankAccountId = envelopes[0]?.bankAccountId
    if (!bankAccountId) return []
    const options = { ...call.options, timeoutMs: recalculationTimeoutMs }
    const recalculated = await afterCommit(
      { log },
      () => plans.recalculateSpending({ bankAccountId, envelopes }, options),
      {
        otherwise: null,
        text: 'recalculation failed: the event will do it',
        about: { requestId: call.request.id },
      },
    )
    if (!recalculated) call.reply.header('Coffer-Recalculation', 'pending')
    return recalculated?.spending ?? []
  }
}

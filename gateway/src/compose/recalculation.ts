import type { JsonObject } from '@bufbuild/protobuf'
import type { Log } from '@coffer/kit/service/log'
import { SpendingSchema, type SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import type { Client } from '@connectrpc/connect'
import { renderedAll } from '../http/rest.ts'
import type { Call } from '../http/route.ts'

const deadlineMs = 1_000

type Spending = Client<typeof SpendingService>

export type Recalculate = (envelopes: Envelope[], call: Call) => Promise<JsonObject[]>

/**
 * Has the plans of envelopes recalculated after their money moved, and answers with their spending
 * objects in the same order. The write is committed, so a failure here is none of the client's: the
 * list is empty then, `Coffer-Recalculation: pending` says so, and the event catches up (design 4).
 */
export function recalculation(spending: Spending, log: Log): Recalculate {
  return async (envelopes, call) => {
    const bankAccountId = envelopes[0]?.bankAccountId
    if (!bankAccountId) return []
    try {
      const { spending: changed } = await spending.recalculateSpending(
        { bankAccountId, envelopes },
        { ...call.options, timeoutMs: deadlineMs },
      )
      return renderedAll(SpendingSchema, changed)
    } catch (error) {
      log.warn({ err: error, requestId: call.request.id }, 'recalculation is left to the event')
      call.reply.header('Coffer-Recalculation', 'pending')
      return []
    }
  }
}

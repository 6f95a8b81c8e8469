import { setImmediate } from 'node:timers/promises'
import type { JsonObject } from '@bufbuild/protobuf'
import type { Log } from '@coffer/kit/log'
import { SpendingSchema, type SpendingService } from '@coffer/proto/budgeting/v1/spending'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import type { Client } from '@connectrpc/connect'
import { renderedAll } from './rest.ts'
import type { Call } from './route.ts'

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
      return leftToEvent(error, { call, log })
    }
  }
}

function leftToEvent(
  error: unknown,
  { call: { request, reply }, log }: { call: Call; log: Log },
): [] {
  log.warn({ err: error, requestId: request.id }, 'recalculation is left to the event')
  reply.header('Coffer-Recalculation', 'pending')
  return []
}

/** A write that moves the money of no other envelopes than these. */
export interface Move<Moved> {
  bankAccountId: string
  spendingIds: string[]
  write: () => Promise<Moved>
  /** Those of its answer. */
  envelopesOf: (moved: Moved) => Envelope[]
}

export type MoveMoney = <Moved>(
  move: Move<Moved>,
  call: Call,
) => Promise<{ moved: Moved; spending: JsonObject[] }>

/**
 * Moves money and has the plans of its envelopes read in the meantime, so that all that is left to
 * do after the write is to calculate. A call that is lost is made once more, the usual way.
 */
export function moneyMove(spending: Spending, log: Log): MoveMoney {
  const recalculate = recalculation(spending, log)
  return async ({ bankAccountId, spendingIds, write, envelopesOf }, call) => {
    const writing = write()
    if (spendingIds.length === 0) return { moved: await writing, spending: [] }
    const ended = new AbortController()
    const steps = async function* () {
      // The write goes out first: it is what takes long.
      await setImmediate()
      yield { step: { case: 'moving' as const, value: { bankAccountId, spendingIds } } }
      const envelopes = envelopesOf(await writing)
      yield { step: { case: 'moved' as const, value: { envelopes } } }
    }
    const asked = spending.recalculateMoving(steps(), { ...call.options, signal: ended.signal })
    asked.catch(() => undefined)
    let late: NodeJS.Timeout | undefined
    try {
      const moved = await writing
      late = setTimeout(() => ended.abort(), deadlineMs)
      const changed = await asked.then(
        (answer) => renderedAll(SpendingSchema, answer.spending),
        (error) => {
          const isLate = ended.signal.aborted
          return isLate ? leftToEvent(error, { call, log }) : recalculate(envelopesOf(moved), call)
        },
      )
      return { moved, spending: changed }
    } finally {
      clearTimeout(late)
      ended.abort()
    }
  }
}

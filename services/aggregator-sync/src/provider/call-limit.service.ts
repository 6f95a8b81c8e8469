import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { CallBy } from './aggregator.ts'
import { endCall, pauseEndpoint, permitCall } from './call-limit.sql.ts'
import { backOffMs, type LinkKey } from './call-limit.ts'
import { faultOf, plaidFailure } from './plaid-fault.ts'

/** Dependencies of calls within the limits. */
export type LimitDeps = Pick<ServiceDeps, 'database' | 'log'>

/**
 * A call: its endpoint with the limit over all items, and its item with a limit of its own, if any.
 */
export interface LimitedCall extends CallBy {
  path: string
  clientMax: number
  item: (LinkKey & { itemMax: number }) | null
}

interface Permitted {
  holder: string
  limitedInRow: number
}

const pollMs = 200
// Lease: the hold on an item expires this long after the timeout of the call.
const holdMarginMs = 5_000

/**
 * Runs `send` within the limits over all replicas (docs/banks/aggregator.md#limits). Waits while
 * another call of the item is in flight; aborts the signal of `send` at the timeout. Throws the
 * fault `rate-limited` at a limit, unavailable if the item is not free in time, the reason of the
 * caller's signal, and errors of `send`.
 */
export async function runLimited<Result>(
  deps: LimitDeps,
  call: LimitedCall,
  send: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + call.timeoutMs
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)])
  const permitted = await untilPermitted(deps, call, { signal, deadline })
  const [outcome] = await Promise.allSettled([send(signal)])
  const fault = outcome.status === 'rejected' ? faultOf(outcome.reason) : null
  await release(deps, call, {
    permitted,
    isLimited: fault?.code === 'rate-limited',
  })
  if (outcome.status === 'fulfilled') return outcome.value
  call.signal.throwIfAborted()
  throw outcome.reason
}

/** Polls until the call may be sent. */
async function untilPermitted(
  { database }: LimitDeps,
  { item, path, clientMax, signal: caller }: LimitedCall,
  { signal, deadline }: { signal: AbortSignal; deadline: number },
): Promise<Permitted> {
  const holder = randomUUID()
  for (;;) {
    const now = await database.now()
    const remainingMs = deadline - performance.now()
    const heldUntil = new Date(now.getTime() + remainingMs + holdMarginMs)
    const held = item && { ...item, holder, heldUntil }
    const permission = await permitCall(database, { path, clientMax, now, item: held })
    if (permission.kind === 'permitted') return { ...permission, holder }
    if (permission.kind === 'limited') {
      const retryAfterMs = permission.until.getTime() - now.getTime()
      throw plaidFailure('rate-limited', { retryAfterMs })
    }
    // `sleep` rejects only when the signal is aborted, which the caller checks next.
    await sleep(pollMs, undefined, { signal }).catch(() => null)
    caller.throwIfAborted()
    if (signal.aborted) throw unavailable(say('LINK_BUSY'))
  }
}

/**
 * Ends the hold on the item. After a 429, pauses the item, or the endpoint of a call without one.
 */
async function release(
  { database, log }: LimitDeps,
  { item, path }: LimitedCall,
  of: { permitted: Permitted; isLimited: boolean },
): Promise<void> {
  const { holder, limitedInRow } = of.permitted
  const pauseMs = of.isLimited ? backOffMs(limitedInRow, item?.linkId ?? path) : null
  try {
    const now = pauseMs === null ? null : await database.now()
    const limitedUntil = now && new Date(now.getTime() + (pauseMs ?? 0))
    if (item) await endCall(database, { ...item, holder }, { limitedUntil })
    else if (limitedUntil || limitedInRow > 0) await pauseEndpoint(database, { path, limitedUntil })
  } catch (error) {
    // The hold expires anyway, so an error here must not lose the answer.
    log.warn({ err: error }, 'the item of a call was not released')
  }
}

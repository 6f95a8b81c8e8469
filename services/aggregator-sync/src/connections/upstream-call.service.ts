import { type ReasonCode, say } from '@coffer/kit/reasons/reasons'
import { refused, unanswered } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { LedgerDeps } from '@coffer/sync-kit/ledger/ledger.client'
import type { HandlerContext } from '@connectrpc/connect'
import type { settings } from '../config.ts'
import type { CallBy, OpenAggregator } from '../provider/aggregator.ts'
import { describeFault, faultOf, type PlaidFaultCode } from '../provider/plaid-fault.ts'

/** Dependencies of the functions that create, update and end links. */
export type LinkDeps = LedgerDeps &
  Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'secrets' | 'workflows' | 'log'> & {
    openAggregator: OpenAggregator
  }

// Timeouts of calls in ms; that of requests is shorter than the gateway's deadline, because a user
// waits for the reply.
const requestMs = 12_000
const exchangeMs = 30_000
const backgroundMs = 60_000

/** Returns the deadline of a call of the aggregator in a request. */
export function byRequest(context: HandlerContext): CallBy {
  return { signal: context.signal, timeoutMs: requestMs }
}

/**
 * Returns the deadline of an exchange. It does not depend on the client's connection, because the
 * answer contains the only token of the item.
 */
export function byExchange(): CallBy {
  return { signal: AbortSignal.timeout(2 * exchangeMs), timeoutMs: exchangeMs }
}

/** Returns the deadline of a call of the aggregator in an activity. */
export function byActivity(): CallBy {
  return { signal: AbortSignal.timeout(2 * backgroundMs), timeoutMs: backgroundMs }
}

/** Throws refused (406) while the aggregator is off. */
export function requireEnabled({ config }: Pick<LinkDeps, 'config'>): void {
  if (config.aggregatorEnabled) return
  throw refused(say('AGGREGATOR_OFF'), { status: 406 })
}

type FailedStep = Extract<ReasonCode, `PLAID_${string}_FAILED`>

/**
 * Throws refused (500) with a text about the failed step and the fault; rethrows errors that are
 * not faults.
 */
export function refuseFault(
  step: FailedStep,
  error: unknown,
  sayLater = (fault: string) => fault,
): never {
  const fault = faultOf(error)
  if (!fault) throw error
  throw refused(say(step, { fault: sayLater(describeFault(fault).text) }), { status: 500 })
}

/**
 * Throws unanswered (504) for an outage, because the public token is stored and a workflow
 * continues; unavailable (503) would promise that nothing was done. Rethrows other errors.
 */
export function refuseContinued(error: unknown): never {
  throw isOutage(error) ? unanswered(say('LINK_GOES_ON')) : error
}

const finalCodes: readonly PlaidFaultCode[] = [
  'refused',
  'login-required',
  'revoked',
  'item-gone',
  'unsupported',
  'no-transactions',
]

/** Returns whether the aggregator would answer a repeated call with the same error. */
export function isFinal(error: unknown): boolean {
  const fault = faultOf(error)
  return fault !== null && finalCodes.includes(fault.code)
}

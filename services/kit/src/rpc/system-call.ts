import type { CallOptions } from '@connectrpc/connect'
import { type Signer, systemCaller } from './caller.ts'
import { currentCause } from './cause.ts'
import { asCaller, headers } from './rpc.ts'

/**
 * Returns options for calls as the service itself, for one account, valid for 60 s. They also send
 * the current cause, so that the called service attributes its changes to it.
 */
export function asSystem(
  { signer, clock }: { signer: Signer; clock: () => Date },
  accountId: string,
): CallOptions {
  const caller = asCaller(systemCaller(signer, accountId, clock()))
  const { actor, causeId } = currentCause()
  return { ...caller, headers: { [headers.requestId]: causeId, [headers.actor]: actor } }
}

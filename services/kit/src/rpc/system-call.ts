import type { CallOptions } from '@connectrpc/connect'
import { type Signer, systemCaller } from './caller.ts'
import { asCaller } from './rpc.ts'

/** Returns call options of the service itself for one account, valid for 60 s. */
export function asSystem(
  { signer, clock }: { signer: Signer; clock: () => Date },
  accountId: string,
): CallOptions {
  return asCaller(systemCaller(signer, accountId, clock()))
}

import type { CallOptions } from '@connectrpc/connect'
import type { ServiceDeps } from '../service/service.ts'
import { systemCaller } from './caller.ts'
import { headers } from './rpc.ts'

/** Returns call options with a caller token of the service for one account, valid for 60 s. */
export function asSystem(
  { signer, clock }: Pick<ServiceDeps, 'signer' | 'clock'>,
  accountId: string,
): CallOptions {
  return { headers: { [headers.caller]: systemCaller(signer, accountId, clock()) } }
}

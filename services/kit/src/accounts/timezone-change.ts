import { AccountService } from '@coffer/proto/identity/v1/account'
import { asSystem } from '../rpc/system-call.ts'
import type { ServiceDeps } from '../service/service.ts'

/**
 * Returns the timezone to which an account moves, by identity; null if no change was requested. A
 * workflow alone moves nothing: Temporal is not the record of the request.
 */
export async function findTimezoneChange(
  deps: Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>,
  accountId: string,
): Promise<string | null> {
  const accounts = deps.mesh.client('identity', AccountService)
  const { timezone } = await accounts.getTimezoneChange({}, asSystem(deps, accountId))
  return timezone ?? null
}

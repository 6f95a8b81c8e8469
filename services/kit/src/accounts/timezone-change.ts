import { AccountService } from '@coffer/proto/identity/v1/account'
import { asSystem } from '../rpc/system-call.ts'
import type { ServiceDeps } from '../service/service.ts'

/**
 * Returns the requested timezone of an account from identity; null if no change was requested. Only
 * identity's database proves the request, not a workflow.
 */
export async function findTimezoneChange(
  deps: Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>,
  accountId: string,
): Promise<string | null> {
  const accounts = deps.mesh.client('identity', AccountService)
  const { timezone } = await accounts.getTimezoneChange({}, asSystem(deps, accountId))
  return timezone ?? null
}

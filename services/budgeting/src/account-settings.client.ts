import type { ServiceDeps } from '@coffer/kit/service'
import { UserService } from '@coffer/proto/identity/v1/user'
import { findTimezone, saveSettings } from './account-settings.sql.ts'
import { asSystem } from './ledger.client.ts'

export type SettingsDeps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock'>

/** The account's timezone for work without a request: as kept, or asked of identity and kept. */
export async function accountTimezone(deps: SettingsDeps, accountId: string): Promise<string> {
  const kept = await findTimezone(deps.database, accountId)
  if (kept) return kept
  const users = deps.mesh.client('identity', UserService)
  const settings = await users.getAccountSettings({}, asSystem(deps, accountId))
  await saveSettings(deps.database, { ...settings, accountId })
  return settings.timezone
}

import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { UserService } from '@coffer/proto/identity/v1/user'
import { findTimezones, saveSettings } from './account-settings.sql.ts'

export type SettingsDeps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock'>

/** Returns the IANA timezone of an account, for jobs; a client's request contains the timezone. */
export async function accountTimezone(deps: SettingsDeps, accountId: string): Promise<string> {
  return (await accountTimezones(deps, [accountId])).get(accountId) ?? ''
}

/** Returns IANA timezones by account ID; requests missing ones from identity and stores them. */
export async function accountTimezones(
  deps: SettingsDeps,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  if (accountIds.length === 0) return new Map()
  const timezones = await findTimezones(deps.database, [...new Set(accountIds)])
  for (const accountId of accountIds) {
    if (timezones.has(accountId)) continue
    const users = deps.mesh.client('identity', UserService)
    const settings = await users.getAccountSettings({}, asSystem(deps, accountId))
    await saveSettings(deps.database, { ...settings, accountId })
    timezones.set(accountId, settings.timezone)
  }
  return timezones
}

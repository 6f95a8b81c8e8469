import type { Environment } from '@coffer/host/settings'
import { definitions } from '../process/services.ts'
import { updateRoles, updateTables } from '../process/tables.ts'
import { readConfig } from '../settings/environment.ts'

/**
 * `coffer migrate`: applies the pending migrations of every service, and prints their files. With
 * `roles`, creates or updates the role of each service.
 */
export async function migrateTables(
  options: { roles?: boolean },
  env: Environment,
): Promise<undefined> {
  const config = readConfig(env)
  const applied = await updateTables(definitions, config)
  for (const [name, files] of Object.entries(applied)) {
    console.log(`${name}: ${files.length === 0 ? 'up to date' : files.join(', ')}`)
  }
  if (!options.roles) return
  console.log(`roles: ${(await updateRoles(definitions, config)).join(', ')}`)
}

import { type Environment, readSettings } from '@coffer/kit/config'
import { openDatabase } from '@coffer/kit/database'
import { hasFormerKeys, rotateSecrets } from '@coffer/kit/key-rotation.activities'
import { keySettings, openKeyEncryption } from '@coffer/kit/key-settings'
import { formerKeyFiles, replaceLocalKey } from '@coffer/kit/local-keys'
import { databaseUrlOf, requirePostgres } from './databases.ts'
import { readConfig } from './environment.ts'
import { definitions } from './services.ts'
import { requireTables } from './tables.ts'

/**
 * `coffer keys:rotate`: encrypts every secret of every service under the key in use now. A local
 * key is replaced first, unless secrets are still under a former one, or `finish` says so: then
 * that is finished.
 */
export async function rotateKeys(
  { finish = false }: { finish?: boolean },
  env: Environment,
): Promise<undefined> {
  const config = readConfig(env)
  await requirePostgres(definitions, config)
  await requireTables(definitions, config)
  const keys = openKeyEncryption(readSettings(keySettings, config.environment), config.keysDir)
  await using opened = new AsyncDisposableStack()
  const databases = []
  for (const { name, schema } of definitions) {
    const url = databaseUrlOf(name, config)
    const { statementTimeoutMs } = config
    const database = await openDatabase({ url, schema, poolSizeMax: 8, statementTimeoutMs })
    databases.push({ name, database: opened.use(database) })
  }
  const unfinished = await Promise.all(
    databases.map(({ database }) => hasFormerKeys(database, keys)),
  )
  if (keys.kind === 'local' && !finish && !unfinished.includes(true)) {
    console.log(`new key ${replaceLocalKey(config.keysDir)}; the former one stays beside it`)
  }
  for (const { name, database } of databases) {
    console.log(`${name}: ${await rotateSecrets(database, keys)} secrets`)
  }
  console.log('Servers that run may seal under a former key for five minutes: run this again then,')
  console.log('with --finish, which makes no new key.')
  const files = keys.kind === 'local' ? formerKeyFiles(config.keysDir) : []
  if (files.length > 0) console.log(`After that only older backups need ${files.join(', ')}.`)
}

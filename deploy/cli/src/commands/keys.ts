import { createSigningKey } from '@coffer/host/rpc/signing-key'
import { createNextKey, formerPublicKeys, useNextKey } from '@coffer/host/rpc/signing-rotation'
import { hasFormerKeys, rotateSecrets } from '@coffer/host/secrets/key-rotation.service'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import {
  createLocalKey,
  declareLost,
  formerKeyFiles,
  localKeyId,
  replaceLocalKey,
} from '@coffer/host/secrets/local-keys'
import { requireSealingKey } from '@coffer/host/secrets/sealing-key'
import { type Environment, readSettings } from '@coffer/host/settings'
import { SettingsError } from '@coffer/kit/service/config'
import { createServiceDatabase } from '../process/databases.ts'
import { copyPartKeys } from '../process/part-keys.ts'
import { definitions } from '../process/services.ts'
import { requireTables } from '../process/tables.ts'
import { readConfig } from '../settings/environment.ts'
import { requireKeysFolder } from '../settings/keys-folder.ts'
import { calls } from '../settings/service-names.ts'

/**
 * `coffer keys:create`: creates each key that the keys folder lacks (docs/running/keys.md). The
 * option `lost` is the ID of an encryption key that cannot be restored, whose loss is recorded. The
 * option `parts` is a folder: `<parts>/<part>` gets the keys that a service or the gateway needs.
 * Checks all existing keys first; needs no server. Throws SettingsError when an existing key cannot
 * be used, or a key cannot be created.
 */
export async function createKeys(
  { lost, parts }: { lost?: string; parts?: string },
  env: Environment,
): Promise<undefined> {
  const { keysDir, environment } = readConfig(env)
  if (lost !== undefined && !localKeyId.test(lost)) {
    throw new SettingsError(`--lost: ${lost} is not the ID of a key file (local:0123456789abcdef)`)
  }
  const { keyService } = readSettings(keySettings, environment)
  requireKeysFolder(keysDir, { keyService })
  const made = [
    ...(keyService === 'local' ? createLocalKey(keysDir) : []),
    ...Object.keys(calls).flatMap((name) => createSigningKey(keysDir, name)),
    ...(lost === undefined ? [] : declareLost(keysDir, lost)),
    ...(parts === undefined ? [] : copyPartKeys(keysDir, parts)),
  ]
  for (const path of made) console.log(`made ${path}`)
  if (made.length === 0) console.log(`nothing is missing in ${keysDir}`)
  if (keyService !== 'local') console.log(`no secrets.key: ${keyService} keeps the key of secrets`)
}

/**
 * `coffer keys:rotate --signing`: creates a next signing key of each service whose key is in the
 * folder; with `finish` makes the next keys the signing keys (docs/running/keys.md). Needs no
 * server. Throws SettingsError when a key cannot be used or created, or there is no next key.
 */
function rotateSigningKeys(folder: string, { finish }: { finish: boolean }): undefined {
  const names = Object.keys(calls)
  if (!finish) {
    for (const path of names.flatMap((name) => createNextKey(folder, name))) {
      console.log(`made ${path}`)
    }
    console.log('Copy all .pub files to every process that has a folder of its own. Then run')
    console.log('"coffer keys:rotate --signing --finish".')
    return undefined
  }
  const rotated = names.filter((name) => useNextKey(folder, name))
  if (rotated.length > 0) console.log(`new signing keys: ${rotated.join(', ')}`)
  const former = names.flatMap((name) => formerPublicKeys(folder, name))
  if (former.length === 0) {
    throw new SettingsError('no next keys: run "coffer keys:rotate --signing" first')
  }
  console.log('Restart every process, one after another. Two minutes after the last restart delete')
  console.log(former.join(', '))
}

/**
 * `coffer keys:rotate`: encrypts every secret of every service under the current encryption key.
 * First creates a key file, which becomes the current key, unless a key service holds the keys,
 * `finish` is given, or a former key still encrypts secrets. With `signing` it replaces the signing
 * keys instead.
 */
export async function rotateKeys(
  { finish = false, signing = false }: { finish?: boolean; signing?: boolean },
  env: Environment,
): Promise<undefined> {
  const config = readConfig(env)
  if (signing) return rotateSigningKeys(config.keysDir, { finish })
  await requireTables(definitions, config)
  const keys = createKeyEncryption(readSettings(keySettings, config.environment), config.keysDir)
  await using opened = new AsyncDisposableStack()
  const databases = []
  for (const definition of definitions) {
    const database = opened.use(await createServiceDatabase(definition, config))
    databases.push({ name: definition.name, database })
  }
  await requireSealingKey(databases, keys, config.keysDir)
  const unfinished = await Promise.all(
    databases.map(({ database }) => hasFormerKeys(database, keys)),
  )
  if (keys.kind === 'local' && !finish && !unfinished.includes(true)) {
    console.log(`new key ${replaceLocalKey(config.keysDir)}; the former key stays beside it`)
  }
  for (const { name, database } of databases) {
    console.log(`${name}: ${await rotateSecrets(database, keys)} secrets`)
  }
  console.log('Running servers may encrypt under the former key for five more minutes: then run')
  console.log('"coffer keys:rotate --finish", which creates no new key.')
  const files = keys.kind === 'local' ? formerKeyFiles(config.keysDir) : []
  if (files.length > 0) console.log(`After that only older backups need ${files.join(', ')}.`)
}

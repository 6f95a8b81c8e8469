import type { Database } from '@coffer/kit/database/database'
import { SettingsError } from '@coffer/kit/service/config'
import type { KeyEncryption } from './key-encryption.ts'
import { createLocalKey, hasLocalKey, localKeyId } from './local-keys.ts'
import { findKeyIdInUse, findSealedTables } from './sealed-rows.sql.ts'

/**
 * Checks at start that stored secrets can be decrypted and new ones encrypted; throws SettingsError
 * if not. Creates a key file only if no secret was ever encrypted under a key file
 * (docs/running/keys.md#creation-of-keys).
 */
export async function requireSealingKey(
  databases: { name: string; database: Database }[],
  keys: KeyEncryption,
  keysFolder: string,
): Promise<void> {
  const holders: { name: string; keyIds: string[] }[] = []
  for (const { name, database } of databases) {
    const tables = await findSealedTables(database)
    const found = await Promise.all(tables.map((table) => findKeyIdInUse(database, table)))
    const keyIds = found.filter((keyId) => keyId !== null)
    if (tables.length > 0) holders.push({ name, keyIds })
  }
  for (const { name, keyIds } of holders) {
    const missing = keyIds.find((keyId) => !keys.isAtHand(keyId) && !keys.isLost(keyId))
    if (missing) throw missingKey(name, missing, keysFolder)
  }
  if (keys.kind !== 'local' || holders.length === 0 || hasLocalKey(keysFolder)) return
  if (holders.some(({ keyIds }) => keyIds.some((keyId) => localKeyId.test(keyId)))) {
    throw new SettingsError(
      `COFFER_KEYS_DIR: ${keysFolder} lacks secrets.key, which sealed secrets before: ` +
        'bring it back, or make a new one with "coffer keys:create"',
    )
  }
  createLocalKey(keysFolder)
}

function missingKey(name: string, keyId: string, keysFolder: string): SettingsError {
  const holds = `${name} holds secrets under the key ${keyId}`
  return localKeyId.test(keyId)
    ? new SettingsError(
        `COFFER_KEYS_DIR: ${holds}, which is not in ${keysFolder}: bring its file back, or, ` +
          `if it is lost for good, run "coffer keys:create --lost ${keyId}"`,
      )
    : new SettingsError(`COFFER_KEY_SERVICE: ${holds}, whose keeper has no settings here`)
}

import { httpUrl, SettingsError, setting, type ValuesOf } from '@coffer/kit/service/config'
import { z } from 'zod'
import type { KeyEncryption } from './key-encryption.ts'
import { kmsKeyEncryption } from './kms.client.ts'
import { localKeyEncryption } from './local-keys.ts'
import { vaultKeyEncryption } from './vault.client.ts'

const address = httpUrl.optional()

export const keySettings = {
  keyService: setting(
    'COFFER_KEY_SERVICE',
    z.enum(['local', 'aws-kms', 'vault']).default('local'),
    'Keeper of the key that encrypts secrets: a file in the keys folder, KMS or Vault',
  ),
  kmsKey: setting(
    'COFFER_KMS_KEY_ID',
    z.string().optional(),
    'ID, ARN or alias of the key in AWS KMS',
  ),
  kmsEndpoint: setting('COFFER_KMS_ENDPOINT', address, 'Address of a KMS other than that of AWS'),
  vaultUrl: setting('COFFER_VAULT_URL', address, 'Address of Vault'),
  vaultToken: setting('COFFER_VAULT_TOKEN', z.string().optional(), 'Token for Vault'),
  vaultKey: setting(
    'COFFER_VAULT_KEY',
    z
      .string()
      .regex(/^[\w/-]+\/[\w-]+$/, 'must be a mount and a name, like transit/coffer')
      .default('transit/coffer'),
    'Mount and name of the transit key in Vault',
  ),
}

/**
 * Creates key encryption by the key file, AWS KMS or Vault, as configured. Other configured key
 * services still decrypt, for `coffer keys:rotate`. Throws SettingsError when the chosen service
 * lacks settings.
 */
export function createKeyEncryption(
  config: ValuesOf<typeof keySettings>,
  keysFolder: string,
): KeyEncryption {
  const { keyService, kmsKey, kmsEndpoint, vaultUrl, vaultToken, vaultKey } = config
  const keepers: KeyEncryption[] = [localKeyEncryption(keysFolder)]
  if (kmsKey) keepers.push(kmsKeyEncryption({ kmsKey, endpoint: kmsEndpoint ?? null }))
  if (vaultUrl && vaultToken) keepers.push(vaultKeyEncryption({ vaultUrl, vaultToken, vaultKey }))
  const keeperOf = (keyId: string) => keepers.find(({ kind }) => keyId.startsWith(`${kind}:`))
  const current = keepers.find(({ kind }) => kind === keyService)
  if (!current) throw new SettingsError(missingText[keyService])
  return {
    kind: current.kind,
    wrap: current.wrap,
    isCurrent: current.isCurrent,
    unwrap: async (wrapped) => {
      const keeper = keeperOf(wrapped.keyId)
      if (!keeper) {
        throw new SettingsError(`secret needs key ${wrapped.keyId}, whose keeper is not set`)
      }
      return keeper.unwrap(wrapped)
    },
    isAtHand: (keyId) => keeperOf(keyId)?.isAtHand(keyId) ?? false,
    isLost: (keyId) => keeperOf(keyId)?.isLost(keyId) ?? false,
  }
}

const missingText = {
  local: '',
  'aws-kms': 'COFFER_KMS_KEY_ID: needed where COFFER_KEY_SERVICE is aws-kms',
  vault: 'COFFER_VAULT_URL and COFFER_VAULT_TOKEN: needed where COFFER_KEY_SERVICE is vault',
}

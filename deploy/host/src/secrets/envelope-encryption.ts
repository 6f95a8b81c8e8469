import type { Secrets } from '@coffer/kit/secrets/secrets'
import { createDataKeys } from './data-keys.ts'
import type { KeyEncryption } from './key-encryption.ts'
import { decrypt, encrypt } from './sealing.ts'

/**
 * Envelope encryption with AES-256-GCM: a data key seals many secrets, each with its own nonce.
 * This keeps the key service off the hot path.
 */
export function createSecrets(keys: KeyEncryption): Secrets {
  const dataKeys = createDataKeys(keys)
  return {
    seal: async (text, owner) => {
      const { key, wrapped } = await dataKeys.current()
      const ciphertext = encrypt({ key, bytes: Buffer.from(text), context: owner })
      return { keyId: wrapped.keyId, dataKey: wrapped.bytes, ciphertext }
    },
    open: async ({ keyId, dataKey, ciphertext }, owner) => {
      const key = await dataKeys.open({ keyId, bytes: dataKey })
      return decrypt({ key, bytes: ciphertext, context: owner }).toString()
    },
  }
}

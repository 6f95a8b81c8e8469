import { createDataKeys } from './data-keys.ts'
import type { KeyEncryption } from './key-encryption.ts'
import { decrypt, encrypt } from './sealing.ts'

/** A sealed secret: its wrapped data key, the ID of the key-encryption key, and the ciphertext. */
export interface SealedSecret {
  keyId: string
  /** The data key, encrypted under that key. */
  dataKey: Buffer
  /** Nonce (12 bytes), tag (16 bytes), ciphertext. */
  ciphertext: Buffer
}

/** Encrypts secrets for the database (docs/architecture.md#secrets-at-rest). */
export interface Secrets {
  /**
   * Seals a text. `owner` (account and entity ID) is authenticated, so that no other row can carry
   * the result.
   */
  seal: (text: string, owner: string) => Promise<SealedSecret>
  /** Opens a secret. Throws when it was changed, has another owner, or its key is missing. */
  open: (sealed: SealedSecret, owner: string) => Promise<string>
}

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

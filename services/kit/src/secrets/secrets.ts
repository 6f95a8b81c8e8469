import { createDataKeys } from './data-keys.ts'
import type { KeyEncryption } from './key-encryption.ts'
import { decrypt, encrypt } from './sealing.ts'

/** A secret at rest: its data key, encrypted under the key of that ID, and the secret under it. */
export interface SealedSecret {
  keyId: string
  /** As the keeper of the key encrypted it. */
  dataKey: Buffer
  /** Nonce (12 bytes), tag (16), then the encrypted bytes. */
  ciphertext: Buffer
}

/** Seals what a database must not show (design 3). */
export interface Secrets {
  /** `owner` (account and entity ID) is bound to the result: no other row can carry it. */
  seal: (text: string, owner: string) => Promise<SealedSecret>
  /** Throws where the secret was changed, belongs to another owner or needs another key. */
  open: (sealed: SealedSecret, owner: string) => Promise<string>
}

/**
 * Envelope encryption with AES-256-GCM. A data key seals many secrets, each under a nonce of its
 * own, so that a service that keeps the key-encryption key is not asked for every one.
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

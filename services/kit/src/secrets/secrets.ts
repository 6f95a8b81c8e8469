/**
 * A sealed secret: its encrypted data key, the ID of the key-encryption key, and the ciphertext.
 */
export interface SealedSecret {
  keyId: string
  /** The data key, encrypted under the key-encryption key. */
  dataKey: Buffer
  /** Nonce (12 bytes), tag (16 bytes), ciphertext. */
  ciphertext: Buffer
}

/** Encrypts secrets for the database (docs/architecture.md#secrets-at-rest). */
export interface Secrets {
  /**
   * Seals a text. `owner` (account and entity ID) is authenticated, so the result cannot be opened
   * in another row.
   */
  seal: (text: string, owner: string) => Promise<SealedSecret>
  /**
   * Opens a secret. Throws when the secret was changed, has another owner, or its key is missing.
   */
  open: (sealed: SealedSecret, owner: string) => Promise<string>
}

/** An encrypted secret. `keyId` is the ID of the key that encrypts its data key. */
export interface SealedSecret {
  keyId: string
  dataKey: Buffer
  /** Nonce (12 bytes), tag (16 bytes), ciphertext. */
  ciphertext: Buffer
}

/** Encrypts secrets for the database (docs/architecture.md#secrets-at-rest). */
export interface Secrets {
  /**
   * Encrypts a text. `owner` (account and entity ID) is authenticated, so that the ciphertext
   * cannot be decrypted in another row.
   */
  seal: (text: string, owner: string) => Promise<SealedSecret>
  /** Decrypts a secret. Throws when it was changed, has another owner, or its key is missing. */
  open: (sealed: SealedSecret, owner: string) => Promise<string>
}

/** A data key, encrypted under the key-encryption key with this ID. */
export interface WrappedKey {
  keyId: string
  bytes: Buffer
}

/**
 * Key-encryption keys, which encrypt data keys: a local key file, or a key service (docs/keys.md).
 */
export interface KeyEncryption {
  /** Prefix of the key IDs: `local`, `aws-kms`, `vault`. */
  kind: string
  /**
   * Encrypts a data key under the current key. Throws unavailable when the key service does not
   * answer.
   */
  wrap: (dataKey: Buffer) => Promise<WrappedKey>
  /**
   * Decrypts a data key. Throws when the key-encryption key is missing or the bytes were changed.
   */
  unwrap: (wrapped: WrappedKey) => Promise<Buffer>
  /** Whether the key with this ID is the current key. */
  isCurrent: (keyId: string) => Promise<boolean>
  /** Whether this process has the key with this ID, or the settings of its key service. */
  isAtHand: (keyId: string) => boolean
  /** Whether the key was declared permanently lost (`coffer keys:create --lost`). */
  isLost: (keyId: string) => boolean
}

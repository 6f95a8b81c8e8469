/** A data key, encrypted under the key-encryption key of that ID. */
export interface WrappedKey {
  keyId: string
  bytes: Buffer
}

/**
 * Key-encryption keys, which encrypt data keys: a local key file, or a key service (docs/keys.md).
 */
export interface KeyEncryption {
  /** Prefix of its key IDs: `local`, `aws-kms`, `vault`. */
  kind: string
  /**
   * Encrypts a data key under the current key. Throws unavailable when the key service does not
   * answer.
   */
  wrap: (dataKey: Buffer) => Promise<WrappedKey>
  /** Decrypts a data key. Throws when the key of that ID is missing or the bytes were changed. */
  unwrap: (wrapped: WrappedKey) => Promise<Buffer>
  /** Whether the key of that ID is the current one. */
  isCurrent: (keyId: string) => Promise<boolean>
  /** Whether this process has the key of that ID, or the settings of its key service. */
  isAtHand: (keyId: string) => boolean
  /** Whether the key was declared lost for good (`coffer keys:create --lost`). */
  isLost: (keyId: string) => boolean
}

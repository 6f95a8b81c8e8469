/** A data key, encrypted under the key-encryption key whose ID is `keyId`. */
export interface WrappedKey {
  keyId: string
  bytes: Buffer
}

/** Encrypts data keys under a key in a file, AWS KMS or Vault (docs/running/keys.md). */
export interface KeyEncryption {
  /** Prefix of the key IDs: `local`, `aws-kms`, `vault`. */
  kind: string
  /** Encrypts a data key under the current key. Throws unavailable if the key service is down. */
  wrap: (dataKey: Buffer) => Promise<WrappedKey>
  /** Decrypts a data key. Throws if its key-encryption key is missing or the bytes were changed. */
  unwrap: (wrapped: WrappedKey) => Promise<Buffer>
  isCurrent: (keyId: string) => Promise<boolean>
  /** Whether this process has this key, or the settings of its key service. */
  isAtHand: (keyId: string) => boolean
  /** Whether the key was declared permanently lost (`coffer keys:create --lost`). */
  isLost: (keyId: string) => boolean
}

/** A data key, encrypted under the key of that ID. */
export interface WrappedKey {
  keyId: string
  bytes: Buffer
}

/** Encrypts the data keys of secrets: a local key file, or a service that keeps its key. */
export interface KeyEncryption {
  /** Starts the ID of every key it knows: `local`, `aws-kms`, `vault`. */
  kind: string
  /** Under the key that is in use now. Throws unavailable where a service does not answer. */
  wrap: (dataKey: Buffer) => Promise<WrappedKey>
  /** Throws where the key of that ID is not at hand or the bytes were changed. */
  unwrap: (wrapped: WrappedKey) => Promise<Buffer>
  /** Whether the key of that ID is the one in use now. */
  isCurrent: (keyId: string) => Promise<boolean>
  /** Whether this process has that key, or the settings of its keeper. */
  isAtHand: (keyId: string) => boolean
  /** Whether the key was declared lost for good (`coffer keys:create --lost`). */
  isLost: (keyId: string) => boolean
}

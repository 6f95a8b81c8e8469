import type { KMS } from '@aws-sdk/client-kms'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { KeyEncryption } from './key-encryption.ts'

const prefix = 'aws-kms:'
const callMs = 4_000

/**
 * Creates key encryption by AWS KMS, or a server with its protocol. A key ID is `aws-kms:` and the
 * ARN, so secrets under another KMS key can be opened. The SDK reads credentials and region from
 * its default sources.
 */
export function kmsKeyEncryption(settings: {
  /** ID, ARN or alias of the current key. */
  kmsKey: string
  /** URL of the server; null for AWS itself. */
  endpoint: string | null
}): KeyEncryption {
  const { kmsKey: KeyId, endpoint } = settings
  let opening: Promise<KMS> | null = null
  // Imported on demand: loading the SDK takes most of a second.
  const open = () => {
    opening ??= import('@aws-sdk/client-kms').then((sdk) => {
      const bounds = { connectionTimeout: 1_000, requestTimeout: 2_000 }
      const options = { maxAttempts: 2, requestHandler: bounds, ...(endpoint ? { endpoint } : {}) }
      return new sdk.KMS(options)
    })
    return opening
  }
  const call = async <T>(send: (kms: KMS, options: { abortSignal: AbortSignal }) => Promise<T>) => {
    try {
      return await send(await open(), { abortSignal: AbortSignal.timeout(callMs) })
    } catch (error) {
      // Only the name of the SDK's error is shown: its text may contain keys and requests.
      throw unavailable(`the key service did not do it (${(error as Error).name})`)
    }
  }
  return {
    kind: 'aws-kms',
    wrap: async (Plaintext) => {
      const { KeyId: arn = '', CiphertextBlob = new Uint8Array() } = await call((kms, options) =>
        kms.encrypt({ KeyId, Plaintext }, options),
      )
      return { keyId: `${prefix}${arn}`, bytes: Buffer.from(CiphertextBlob) }
    },
    unwrap: async ({ keyId, bytes }) => {
      const request = { KeyId: keyId.slice(prefix.length), CiphertextBlob: bytes }
      const { Plaintext = new Uint8Array() } = await call((kms, options) =>
        kms.decrypt(request, options),
      )
      return Buffer.from(Plaintext)
    },
    isCurrent: async (keyId) => {
      const { KeyMetadata } = await call((kms, options) => kms.describeKey({ KeyId }, options))
      return keyId === `${prefix}${KeyMetadata?.Arn}`
    },
    isAtHand: (keyId) => keyId.startsWith(prefix),
    isLost: () => false,
  }
}

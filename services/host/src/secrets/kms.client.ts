import type { KMS } from '@aws-sdk/client-kms'
import { unavailable } from '@coffer/kit/rpc/errors'
import { onDemand } from '@coffer/kit/service/on-demand'
import type { KeyEncryption } from './key-encryption.ts'

const prefix = 'aws-kms:'
const callMs = 4_000

/**
 * Creates key encryption by AWS KMS, or a server with its protocol. Key IDs are `aws-kms:` and the
 * ARN of the KMS key. Credentials and region come from the SDK's default sources.
 */
export function kmsKeyEncryption(settings: {
  /** ID, ARN or alias of the KMS key for new secrets. */
  kmsKey: string
  /** URL of a server with the protocol of KMS; null for AWS. */
  endpoint: string | null
}): KeyEncryption {
  const { kmsKey: KeyId, endpoint } = settings
  // On demand, because loading the AWS SDK takes most of a second.
  const open = onDemand(async () => {
    const sdk = await import('@aws-sdk/client-kms')
    const bounds = { connectionTimeout: 1_000, requestTimeout: 2_000 }
    const options = { maxAttempts: 2, requestHandler: bounds, ...(endpoint ? { endpoint } : {}) }
    return new sdk.KMS(options)
  })
  const call = async <T>(send: (kms: KMS, options: { abortSignal: AbortSignal }) => Promise<T>) => {
    try {
      return await send(await open(), { abortSignal: AbortSignal.timeout(callMs) })
    } catch (error) {
      // The error's text is left out: it may contain keys and requests.
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

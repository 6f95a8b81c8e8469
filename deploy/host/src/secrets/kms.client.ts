import type { KMSClient } from '@aws-sdk/client-kms'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { KeyEncryption } from './key-encryption.ts'

const prefix = 'aws-kms:'
const callMs = 4_000

/**
 * Key encryption by AWS KMS, or a server with its protocol. A key ID is `aws-kms:` and the ARN, so
 * secrets under another KMS key still open. The SDK finds credentials and region in its usual
 * places.
 */
export function kmsKeyEncryption(settings: {
  /** ID, ARN or alias of the current key. */
  kmsKey: string
  /** URL of the server; null for AWS itself. */
  endpoint: string | null
}): KeyEncryption {
  const { kmsKey: KeyId, endpoint } = settings
  let opening: Promise<{ sdk: typeof import('@aws-sdk/client-kms'); client: KMSClient }> | null =
    null
  // Imported on demand: the SDK takes most of a second to load.
  const open = () => {
    opening ??= import('@aws-sdk/client-kms').then((sdk) => {
      const bounds = { connectionTimeout: 1_000, requestTimeout: 2_000 }
      const options = { maxAttempts: 2, requestHandler: bounds, ...(endpoint ? { endpoint } : {}) }
      return { sdk, client: new sdk.KMSClient(options) }
    })
    return opening
  }
  const within = () => ({ abortSignal: AbortSignal.timeout(callMs) })
  return {
    kind: 'aws-kms',
    wrap: (dataKey) =>
      callKms(async () => {
        const { sdk, client } = await open()
        const command = new sdk.EncryptCommand({ KeyId, Plaintext: dataKey })
        const { KeyId: arn = '', CiphertextBlob = new Uint8Array() } = await client.send(
          command,
          within(),
        )
        return { keyId: `${prefix}${arn}`, bytes: Buffer.from(CiphertextBlob) }
      }),
    unwrap: ({ keyId, bytes }) =>
      callKms(async () => {
        const { sdk, client } = await open()
        const key = keyId.slice(prefix.length)
        const command = new sdk.DecryptCommand({ KeyId: key, CiphertextBlob: bytes })
        const { Plaintext = new Uint8Array() } = await client.send(command, within())
        return Buffer.from(Plaintext)
      }),
    isCurrent: (keyId) =>
      callKms(async () => {
        const { sdk, client } = await open()
        const { KeyMetadata } = await client.send(new sdk.DescribeKeyCommand({ KeyId }), within())
        return keyId === `${prefix}${KeyMetadata?.Arn}`
      }),
    isAtHand: (keyId) => keyId.startsWith(prefix),
    isLost: () => false,
  }
}

// Only the name of the SDK's error is shown: its text may contain keys and requests.
async function callKms<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { name } = error as Error
    throw unavailable(`the key service did not do it (${name})`)
  }
}

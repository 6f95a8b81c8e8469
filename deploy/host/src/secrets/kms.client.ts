import type { KMSClient } from '@aws-sdk/client-kms'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { KeyEncryption } from '@coffer/kit/secrets/key-encryption'

const prefix = 'aws-kms:'
const callMs = 4_000

/**
 * Key encryption by AWS KMS (or a server that speaks its protocol). The ID of a key is `aws-kms:`
 * and its ARN, so that secrets sealed under another key of KMS still open. Credentials and region
 * come from where the SDK looks for them.
 */
export function kmsKeyEncryption(settings: {
  /** ID, ARN or alias of the key that is in use. */
  kmsKey: string
  /** Address of the server; AWS's own where it is null. */
  endpoint: string | null
}): KeyEncryption {
  const { kmsKey: KeyId, endpoint } = settings
  let opening: Promise<{ sdk: typeof import('@aws-sdk/client-kms'); client: KMSClient }> | null =
    null
  // The SDK takes most of a second to load, which only those pay who use it.
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
      answered(async () => {
        const { sdk, client } = await open()
        const command = new sdk.EncryptCommand({ KeyId, Plaintext: dataKey })
        const { KeyId: arn = '', CiphertextBlob = new Uint8Array() } = await client.send(
          command,
          within(),
        )
        return { keyId: `${prefix}${arn}`, bytes: Buffer.from(CiphertextBlob) }
      }),
    unwrap: ({ keyId, bytes }) =>
      answered(async () => {
        const { sdk, client } = await open()
        const key = keyId.slice(prefix.length)
        const command = new sdk.DecryptCommand({ KeyId: key, CiphertextBlob: bytes })
        const { Plaintext = new Uint8Array() } = await client.send(command, within())
        return Buffer.from(Plaintext)
      }),
    isCurrent: (keyId) =>
      answered(async () => {
        const { sdk, client } = await open()
        const { KeyMetadata } = await client.send(new sdk.DescribeKeyCommand({ KeyId }), within())
        return keyId === `${prefix}${KeyMetadata?.Arn}`
      }),
    isAtHand: (keyId) => keyId.startsWith(prefix),
    isLost: () => false,
  }
}

// What the SDK says may name keys and requests: it is for nobody who calls us.
async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { name } = error as Error
    throw unavailable(`the key service did not do it (${name})`)
  }
}

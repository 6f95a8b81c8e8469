import { createHash, randomBytes } from 'node:crypto'
import type { Secrets } from '@coffer/kit/secrets/secrets'
import { LRUCache } from 'lru-cache'
import type { KeyEncryption, WrappedKey } from './key-encryption.ts'
import { decrypt, encrypt } from './sealing.ts'

interface DataKey {
  key: Buffer
  wrapped: WrappedKey
  secrets: number
  until: number
}

const keyBytes = 32

// Maximum number of secrets per data key: bounds the damage if one leaks. Random nonces would allow
// far more (NIST SP 800-38D 8.3).
const secretsMax = 1_000
const currentForMs = 5 * 60_000
const openedMax = 10_000
const openedForMs = 60 * 60_000

/**
 * Creates envelope encryption (AES-256-GCM): a data key encrypts up to 1,000 secrets in five
 * minutes, each with its own nonce. Decrypted data keys are cached for an hour, so that few
 * requests call the key service.
 */
export function createSecrets(keys: Pick<KeyEncryption, 'wrap' | 'unwrap'>): Secrets {
  let current: Promise<DataKey> | null = null
  const opened = new LRUCache<string, Buffer, WrappedKey>({
    max: openedMax,
    ttl: openedForMs,
    fetchMethod: (_name, _stale, { context }) => keys.unwrap(context),
  })
  const renew = (): Promise<DataKey> => {
    const made = createDataKey(keys)
    current = made
    made.catch(() => {
      if (current === made) current = null
    })
    return made
  }
  return {
    seal: async (text, owner) => {
      let used = await (current ?? renew())
      if (used.secrets >= secretsMax || performance.now() >= used.until) used = await renew()
      used.secrets += 1
      const { key, wrapped } = used
      const ciphertext = encrypt({ key, bytes: Buffer.from(text), context: owner })
      return { keyId: wrapped.keyId, dataKey: wrapped.bytes, ciphertext }
    },
    open: async ({ keyId, dataKey, ciphertext }, owner) => {
      const name = createHash('sha256').update(`${keyId} `).update(dataKey).digest('base64')
      const key = await opened.forceFetch(name, { context: { keyId, bytes: dataKey } })
      return decrypt({ key, bytes: ciphertext, context: owner }).toString()
    },
  }
}

async function createDataKey({ wrap }: Pick<KeyEncryption, 'wrap'>): Promise<DataKey> {
  const key = randomBytes(keyBytes)
  const wrapped = await wrap(key)
  return { key, wrapped, secrets: 0, until: performance.now() + currentForMs }
}

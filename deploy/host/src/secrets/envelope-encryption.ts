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

// Maximum number of secrets of a data key, which limits the damage if the key leaks. Random nonces
// would allow far more (NIST SP 800-38D 8.3).
const secretsMax = 1_000
const currentForMs = 5 * 60_000
const openedMax = 10_000
const openedForMs = 60 * 60_000

/**
 * Creates envelope encryption with AES-256-GCM: a data key seals many secrets, each with its own
 * nonce.
 *
 * Data keys are cached, so that few requests call the key service: one call for a thousand new
 * secrets or five minutes, and one each hour for a data key that is opened.
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

import { createHash, randomBytes } from 'node:crypto'
import type { KeyEncryption, WrappedKey } from './key-encryption.ts'

/** Data keys in memory: the current one for new secrets, and a cache of unwrapped ones. */
export interface DataKeys {
  /** The data key for a new secret. Throws unavailable when the key service does not answer. */
  current: () => Promise<{ key: Buffer; wrapped: WrappedKey }>
  /** Unwraps a data key. Throws as `KeyEncryption.unwrap` does. */
  open: (wrapped: WrappedKey) => Promise<Buffer>
}

interface Current {
  key: Buffer
  wrapped: WrappedKey
  secrets: number
  until: number
}

const keyBytes = 32

// Random nonces allow far more secrets for each key (NIST SP 800-38D 8.3). The bound limits the
// damage of a leaked data key.
const secretsMax = 1_000
const currentForMs = 5 * 60_000
const openedMax = 10_000
const openedForMs = 60 * 60_000

/**
 * Caches data keys, which reduces calls to the key service. It is called once for a thousand new
 * secrets or five minutes, and once an hour for each data key that is opened.
 */
export function createDataKeys(
  keys: Pick<KeyEncryption, 'wrap' | 'unwrap'>,
  now: () => number = () => performance.now(),
): DataKeys {
  let current: Promise<Current> | null = null
  const opened = new Map<string, { key: Promise<Buffer>; until: number }>()

  const make = async (): Promise<Current> => {
    const key = randomBytes(keyBytes)
    return { key, wrapped: await keys.wrap(key), secrets: 0, until: now() + currentForMs }
  }
  const renew = (): Promise<Current> => {
    const made = make()
    current = made
    made.catch(() => {
      if (current === made) current = null
    })
    return made
  }
  return {
    current: async () => {
      let used = await (current ?? renew())
      if (used.secrets >= secretsMax || now() >= used.until) used = await renew()
      used.secrets += 1
      return used
    },
    open: (wrapped) => {
      const name = createHash('sha256')
        .update(`${wrapped.keyId} `)
        .update(wrapped.bytes)
        .digest('hex')
      const known = opened.get(name)
      if (known && now() < known.until) return known.key
      const key = keys.unwrap(wrapped)
      if (opened.size >= openedMax) opened.clear()
      opened.set(name, { key, until: now() + openedForMs })
      key.catch(() => opened.delete(name))
      return key
    },
  }
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrMake } from './key-file.ts'

/** A secret at rest: its data key, encrypted under the key of that ID, and the secret under it. */
export interface SealedSecret {
  keyId: string
  /** Nonce (12 bytes), tag (16), then the encrypted bytes; the same below. */
  dataKey: Buffer
  ciphertext: Buffer
}

/** Encrypts the data keys of secrets: a local key file, or a service that keeps its key. */
export interface KeyEncryption {
  keyId: string
  wrap: (dataKey: Buffer) => Promise<Buffer>
  /** Throws where the key of that ID is not at hand or the bytes were changed. */
  unwrap: (keyId: string, wrapped: Buffer) => Promise<Buffer>
}

/** Seals what a database must not show (design 3). */
export interface Secrets {
  /** `owner` (account and entity ID) is bound to the result: no other row can carry it. */
  seal: (text: string, owner: string) => Promise<SealedSecret>
  /** Throws where the secret was changed, belongs to another owner or needs another key. */
  open: (sealed: SealedSecret, owner: string) => Promise<string>
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Envelope encryption with AES-256-GCM: a fresh data key for each secret. */
export function createSecrets(keys: KeyEncryption): Secrets {
  return {
    seal: async (text, owner) => {
      const key = randomBytes(keyBytes)
      const ciphertext = encrypt({ key, bytes: Buffer.from(text), context: owner })
      return { keyId: keys.keyId, dataKey: await keys.wrap(key), ciphertext }
    },
    open: async ({ keyId, dataKey, ciphertext }, owner) => {
      const key = await keys.unwrap(keyId, dataKey)
      return decrypt({ key, bytes: ciphertext, context: owner }).toString()
    },
  }
}

/**
 * Key encryption under `<folder>/secrets.key` (32 bytes in base64, mode 0600, made on first use).
 * The key's ID is `local:` and the start of its SHA-256.
 */
export function localKeyEncryption(folder: string): KeyEncryption {
  let loaded: { key: Buffer; keyId: string } | undefined
  const load = () => {
    loaded ??= readKey(join(folder, 'secrets.key'))
    return loaded
  }
  return {
    get keyId() {
      return load().keyId
    },
    wrap: async (dataKey) => {
      const { key, keyId } = load()
      return encrypt({ key, bytes: dataKey, context: keyId })
    },
    unwrap: async (keyId, wrapped) => {
      const local = load()
      if (local.keyId !== keyId) throw new Error(`secret needs key ${keyId}, not ${local.keyId}`)
      return decrypt({ key: local.key, bytes: wrapped, context: keyId })
    },
  }
}

function readKey(path: string): { key: Buffer; keyId: string } {
  const text = readOrMake(path, () => `${randomBytes(keyBytes).toString('base64')}\n`)
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes) throw new Error(`${path} does not hold ${keyBytes} bytes of base64`)
  const digest = createHash('sha256').update(key).digest('hex')
  return { key, keyId: `local:${digest.slice(0, 16)}` }
}

interface Sealing {
  key: Buffer
  bytes: Buffer
  /** Authenticated with the bytes, but not stored with them. */
  context: string
}

function encrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

function decrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = bytes.subarray(0, nonceBytes)
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  const encrypted = bytes.subarray(nonceBytes + tagBytes)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

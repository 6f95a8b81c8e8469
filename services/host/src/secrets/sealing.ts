import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export interface Sealing {
  /** AES-256 key: 32 bytes. */
  key: Buffer
  bytes: Buffer
  /** Additional authenticated data: not stored, must be the same for decryption. */
  context: string
}

/** Encrypts with AES-256-GCM. Returns nonce (12 bytes), tag (16 bytes) and ciphertext. */
export function encrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts the output of `encrypt`. Throws when the bytes, the key or the context differ. */
export function decrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = bytes.subarray(0, nonceBytes)
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  const encrypted = bytes.subarray(nonceBytes + tagBytes)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

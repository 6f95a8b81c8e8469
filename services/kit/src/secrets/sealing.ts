import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export interface Sealing {
  /** 32 bytes. */
  key: Buffer
  bytes: Buffer
  /** Authenticated with the bytes, but not stored with them. */
  context: string
}

/** Encrypts with AES-256-GCM: nonce (12 bytes), tag (16), then the encrypted bytes. */
export function encrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Throws where anything differs from what was encrypted. */
export function decrypt({ key, bytes, context }: Sealing): Buffer {
  const nonce = bytes.subarray(0, nonceBytes)
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  const encrypted = bytes.subarray(nonceBytes + tagBytes)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

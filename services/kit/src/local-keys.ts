import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyEncryption } from './key-encryption.ts'
import { putInPlace, readOrMake } from './key-file.ts'
import { decrypt, encrypt } from './sealing.ts'

interface LocalKey {
  key: Buffer
  keyId: string
}

const keyBytes = 32
const currentName = 'secrets.key'
const ownName = /^secrets-[0-9a-f]{16}\.key$/

/**
 * Key encryption under `<folder>/secrets.key` (32 bytes in base64, mode 0600, made on first use).
 * The key's ID is `local:` and the start of its SHA-256. Former keys, `secrets-<ID>.key`, still
 * open what they sealed. The files are read again for every data key: a new one needs no restart.
 */
export function localKeyEncryption(folder: string): KeyEncryption {
  const path = join(folder, currentName)
  const current = () => keyOf(path, readOrMake(path, newKeyText))
  return {
    kind: 'local',
    wrap: async (dataKey) => {
      const { key, keyId } = current()
      return { keyId, bytes: encrypt({ key, bytes: dataKey, context: keyId }) }
    },
    unwrap: async ({ keyId, bytes }) => {
      const known = [current(), ...namedKeys(folder)]
      const local = known.find((one) => one.keyId === keyId)
      if (!local) throw new Error(`secret needs key ${keyId}, which is not in the keys folder`)
      return decrypt({ key: local.key, bytes, context: keyId })
    },
    isCurrent: async (keyId) => current().keyId === keyId,
  }
}

/**
 * Puts a new key in the place of the one in use. Both are kept under their own names before, so
 * that neither a kill nor another process that does the same loses a key that sealed anything.
 *
 * @returns the ID of the new key
 */
export function replaceLocalKey(folder: string): string {
  const path = join(folder, currentName)
  keepNamed(folder, readOrMake(path, newKeyText))
  const text = newKeyText()
  const keyId = keepNamed(folder, text)
  putInPlace(path, text)
  return keyId
}

/** Files of keys that were in use before, and would only open what they sealed. */
export function formerKeyFiles(folder: string): string[] {
  const path = join(folder, currentName)
  const current = fileNameOf(keyOf(path, readFileSync(path, 'utf8')))
  return namesIn(folder).filter((name) => name !== current)
}

function keepNamed(folder: string, text: string): string {
  const key = keyOf(join(folder, currentName), text)
  readOrMake(join(folder, fileNameOf(key)), () => text)
  return key.keyId
}

function fileNameOf({ keyId }: LocalKey): string {
  return `secrets-${keyId.slice('local:'.length)}.key`
}

function namedKeys(folder: string): LocalKey[] {
  return namesIn(folder).map((name) => {
    const path = join(folder, name)
    return keyOf(path, readFileSync(path, 'utf8'))
  })
}

function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => ownName.test(name))
}

function newKeyText(): string {
  return `${randomBytes(keyBytes).toString('base64')}\n`
}

function keyOf(path: string, text: string): LocalKey {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes) throw new Error(`${path} does not hold ${keyBytes} bytes of base64`)
  const digest = createHash('sha256').update(key).digest('hex')
  return { key, keyId: `local:${digest.slice(0, 16)}` }
}

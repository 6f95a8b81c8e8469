import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyEncryption } from './key-encryption.ts'
import { readOrMake } from './key-file.ts'
import { decrypt, encrypt } from './sealing.ts'

interface LocalKey {
  key: Buffer
  keyId: string
}

const keyBytes = 32
const currentName = 'secrets.key'
const formerName = /^secrets-[0-9a-f]{16}\.key$/

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
      const known = [current(), ...formerKeys(folder)]
      const local = known.find((one) => one.keyId === keyId)
      if (!local) throw new Error(`secret needs key ${keyId}, which is not in the keys folder`)
      return decrypt({ key: local.key, bytes, context: keyId })
    },
    isCurrent: async (keyId) => current().keyId === keyId,
  }
}

/**
 * Puts a new key in the place of the one in use, which stays beside it until nothing needs it. A
 * kill in between leaves either key in use, and no key lost.
 *
 * @returns the ID of the new key
 */
export function replaceLocalKey(folder: string): string {
  const path = join(folder, currentName)
  const { keyId, key } = keyOf(path, readOrMake(path, newKeyText))
  const former = join(folder, `secrets-${keyId.slice('local:'.length)}.key`)
  if (!existsSync(former)) {
    writeFileSync(former, `${key.toString('base64')}\n`, { mode: 0o600, flush: true })
  }
  const draft = `${path}.new`
  writeFileSync(draft, newKeyText(), { mode: 0o600, flush: true })
  renameSync(draft, path)
  return keyOf(path, readFileSync(path, 'utf8')).keyId
}

function formerKeys(folder: string): LocalKey[] {
  return readdirSync(folder)
    .filter((name) => formerName.test(name))
    .map((name) => keyOf(join(folder, name), readFileSync(join(folder, name), 'utf8')))
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

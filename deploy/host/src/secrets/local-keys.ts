import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { KeyEncryption } from '@coffer/kit/secrets/key-encryption'
import {
  keyFault,
  keyFileNames,
  makeKeyFile,
  putInPlace,
  readKeyFile,
} from '@coffer/kit/secrets/key-file'
import { decrypt, encrypt } from '@coffer/kit/secrets/sealing'
import { SettingsError } from '@coffer/kit/service/config'

interface LocalKey {
  key: Buffer
  keyId: string
}

const keyBytes = 32
const currentName = 'secrets.key'
const ownName = /^secrets-[0-9a-f]{16}\.key$/

/**
 * Key encryption under `<folder>/secrets.key` (32 bytes in base64), which is never made here. The
 * key's ID is `local:` and the start of its SHA-256. Former keys, `secrets-<ID>.key`, still open
 * what they sealed. The files are read again for every data key: a new one needs no restart.
 */
export function localKeyEncryption(folder: string): KeyEncryption {
  const current = () => keyAt(join(folder, currentName))
  const named = () => namesIn(folder).map((name) => keyAt(join(folder, name)))
  const known = () => [...(hasLocalKey(folder) ? [current()] : []), ...named()]
  return {
    kind: 'local',
    wrap: async (dataKey) => {
      const { key, keyId } = current()
      return { keyId, bytes: encrypt({ key, bytes: dataKey, context: keyId }) }
    },
    unwrap: async ({ keyId, bytes }) => {
      const local = known().find((one) => one.keyId === keyId)
      if (!local) throw new SettingsError(`secret needs key ${keyId}, which is not in ${folder}`)
      return decrypt({ key: local.key, bytes, context: keyId })
    },
    isCurrent: async (keyId) => current().keyId === keyId,
    isAtHand: (keyId) => known().some((one) => one.keyId === keyId),
    isLost: (keyId) => keyFileNames(folder).includes(lostName(keyId)),
  }
}

/** Whether there is a key that new secrets are sealed under. Throws SettingsError if damaged. */
export function hasLocalKey(folder: string): boolean {
  return readKeyFile(join(folder, currentName)) !== null
}

/** Makes `secrets.key` where there is none; returns the files made. */
export function createLocalKey(folder: string): string[] {
  const path = join(folder, currentName)
  const isMade = makeKeyFile(path, newKeyText)
  keyAt(path)
  return isMade ? [path] : []
}

/** The ID of a local key, as it is stored beside what the key sealed. */
export const localKeyId = /^local:[0-9a-f]{16}$/

/** Notes that a key is gone for good, so that services start without; returns the files made. */
export function declareLost(folder: string, keyId: string): string[] {
  const path = join(folder, lostName(keyId))
  return makeKeyFile(path, () => `${keyId} is lost\n`) ? [path] : []
}

/**
 * Puts a new key in the place of the one in use. Both are kept under their own names before, so
 * that neither a kill nor another process that does the same loses a key that sealed anything.
 *
 * @returns the ID of the new key
 */
export function replaceLocalKey(folder: string): string {
  const path = join(folder, currentName)
  keepNamed(folder, textAt(path))
  const text = newKeyText()
  const keyId = keepNamed(folder, text)
  putInPlace(path, text)
  return keyId
}

/** Files of keys that were in use before, and would only open what they sealed. */
export function formerKeyFiles(folder: string): string[] {
  const current = fileNameOf(keyAt(join(folder, currentName)))
  return namesIn(folder).filter((name) => name !== current)
}

function keepNamed(folder: string, text: string): string {
  const key = keyOf(join(folder, currentName), text)
  makeKeyFile(join(folder, fileNameOf(key)), () => text)
  return key.keyId
}

function fileNameOf({ keyId }: LocalKey): string {
  return `secrets-${keyId.slice('local:'.length)}.key`
}

function lostName(keyId: string): string {
  return `secrets-${keyId.slice('local:'.length)}.lost`
}

function namesIn(folder: string): string[] {
  return keyFileNames(folder).filter((name) => ownName.test(name))
}

function newKeyText(): string {
  return `${randomBytes(keyBytes).toString('base64')}\n`
}

function textAt(path: string): string {
  const text = readKeyFile(path)
  if (text === null) throw keyFault(path, 'is missing: "coffer keys:create" makes one')
  return text
}

function keyAt(path: string): LocalKey {
  return keyOf(path, textAt(path))
}

function keyOf(path: string, text: string): LocalKey {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes) throw keyFault(path, `does not hold ${keyBytes} bytes of base64`)
  const digest = createHash('sha256').update(key).digest('hex')
  return { key, keyId: `local:${digest.slice(0, 16)}` }
}

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { SettingsError } from '@coffer/kit/service/config'
import type { KeyEncryption } from './key-encryption.ts'
import { keyFault, keyFileNames, makeKeyFile, putInPlace, readKeyFile } from './key-file.ts'
import { decrypt, encrypt } from './sealing.ts'

interface LocalKey {
  key: Buffer
  keyId: string
}

const keyBytes = 32
const currentName = 'secrets.key'
const ownName = /^secrets-[0-9a-f]{16}\.key$/

/**
 * Creates key encryption under `<folder>/secrets.key` (32 bytes in base64). A key ID is `local:`
 * and the start of the key's SHA-256. Former keys, `secrets-<ID>.key`, still decrypt. Reads the
 * files each time, so that a new key needs no restart.
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
    isLost: (keyId) => keyFileNames(folder).includes(fileNameOf(keyId, 'lost')),
  }
}

/** Returns whether `secrets.key` exists. Throws SettingsError when it is damaged. */
export function hasLocalKey(folder: string): boolean {
  return readKeyFile(join(folder, currentName)) !== null
}

/**
 * Creates `secrets.key` if it is missing; returns the created paths. Throws SettingsError when the
 * file cannot be created or is damaged.
 */
export function createLocalKey(folder: string): string[] {
  const path = join(folder, currentName)
  const isMade = makeKeyFile(path, newKeyText)
  keyAt(path)
  return isMade ? [path] : []
}

/** Matches the ID of a key that is in a key file; each secret stores the ID of its key. */
export const localKeyId = /^local:[0-9a-f]{16}$/

/** Declares a key permanently lost, so that services start without it; returns created paths. */
export function declareLost(folder: string, keyId: string): string[] {
  const path = join(folder, fileNameOf(keyId, 'lost'))
  return makeKeyFile(path, () => `${keyId} is lost\n`) ? [path] : []
}

/**
 * Replaces the current key; returns the ID of the new key. First stores the old and the new key
 * under names with their IDs, so that no crash or concurrent replacement loses a key in use.
 */
export function replaceLocalKey(folder: string): string {
  const path = join(folder, currentName)
  keepNamed(folder, textAt(path))
  const text = newKeyText()
  const keyId = keepNamed(folder, text)
  putInPlace(path, text)
  return keyId
}

/**
 * Returns the IDs of the encryption keys in a set of key files by name (the files of an archive),
 * and of those that it marks as lost. Throws SettingsError for a damaged key.
 */
export function archivedKeyIds(files: ReadonlyMap<string, string>): Set<string> {
  const found = [...files].flatMap(([name, text]) => {
    if (name === currentName || ownName.test(name)) return [keyOf(name, text).keyId]
    const [, lost] = /^secrets-([0-9a-f]{16})\.lost$/.exec(name) ?? []
    return lost === undefined ? [] : [`local:${lost}`]
  })
  return new Set(found)
}

/** Lists the names of the key files that only decrypt: `secrets-<ID>.key`. */
export function formerKeyFiles(folder: string): string[] {
  const current = fileNameOf(keyAt(join(folder, currentName)).keyId, 'key')
  return namesIn(folder).filter((name) => name !== current)
}

function keepNamed(folder: string, text: string): string {
  const key = keyOf(join(folder, currentName), text)
  makeKeyFile(join(folder, fileNameOf(key.keyId, 'key')), () => text)
  return key.keyId
}

function fileNameOf(keyId: string, ending: 'key' | 'lost'): string {
  return `secrets-${keyId.slice('local:'.length)}.${ending}`
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

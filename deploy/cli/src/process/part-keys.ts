import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileNames, makeKeyFile, putInPlace, readKeyFile } from '@coffer/host/secrets/key-file'
import { calls, type PartName } from '../settings/service-names.ts'

const encrypting: readonly PartName[] = ['identity', 'aggregator-sync', 'feed-sync']
const keyOfSecrets = /^secrets(?:-[0-9a-f]{16})?\.(?:key|lost)$/
const keyFile = /\.(?:key|pub|lost)$/

/**
 * Makes each `<folder>/<part>` hold exactly the key files that the part's process needs: its own
 * signing key, all public keys, and in services that encrypt secrets, the encryption keys
 * (docs/running/keys.md). Replaces changed files and removes all other key files. Returns the paths
 * of new and changed copies. Throws SettingsError when a file cannot be used or written.
 */
export function copyPartKeys(keysFolder: string, folder: string): string[] {
  const names = keyFileNames(keysFolder)
  return (Object.keys(calls) as PartName[]).flatMap((part) => {
    const own = join(folder, part)
    const needed = names.filter((name) => isNeeded(part, name))
    const extra = keyFileNames(own).filter((name) => keyFile.test(name) && !needed.includes(name))
    for (const name of extra) rmSync(join(own, name))
    const copied = needed.filter((name) => copyKey(join(keysFolder, name), join(own, name)))
    return copied.map((name) => join(own, name))
  })
}

function isNeeded(part: PartName, name: string): boolean {
  if (keyOfSecrets.test(name)) return encrypting.includes(part)
  return name === `${part}.key` || name.endsWith('.pub')
}

/** Copies a key file; returns false if an equal copy exists. */
function copyKey(from: string, to: string): boolean {
  const text = readKeyFile(from)
  if (text === null || readKeyFile(to) === text) return false
  if (!makeKeyFile(to, () => text)) putInPlace(to, text)
  return true
}

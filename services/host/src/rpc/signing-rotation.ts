import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keyIdOf } from '@coffer/kit/rpc/caller'
import { makeKeyFile, moveInPlace } from '../secrets/key-file.ts'
import {
  newPrivateKey,
  privateKeyAt,
  publicKeysOf,
  publicText,
  requireKeyPair,
} from './signing-key.ts'

/**
 * Creates the next signing key of a service, `<issuer>.next.key`, and its public key
 * `<issuer>.<ID>.pub`, which processes accept at once; returns the created paths, none if there is
 * a next key. The service signs with its former key until `useNextKey` (docs/running/keys.md).
 * @throws {SettingsError} when a file cannot be used or created
 */
export function createNextKey(folder: string, issuer: string): string[] {
  if (!requireKeyPair(folder, issuer)) return []
  const path = nextPath(folder, issuer)
  const isMade = makeKeyFile(path, newPrivateKey)
  const key = createPublicKey(privateKeyAt(path))
  const publicPath = join(folder, `${issuer}.${keyIdOf(key)}.pub`)
  const isPublicMade = makeKeyFile(publicPath, () => publicText(key))
  return [...(isMade ? [path] : []), ...(isPublicMade ? [publicPath] : [])]
}

/**
 * Makes the next key of a service its signing key, with which the service signs from its next start
 * on; returns whether there was a next key. Atomic: at each moment a public key of the current
 * private key exists.
 * @throws {SettingsError} when a file cannot be used or replaced
 */
export function useNextKey(folder: string, issuer: string): boolean {
  const path = nextPath(folder, issuer)
  if (!existsSync(path)) return false
  createNextKey(folder, issuer)
  moveInPlace(path, join(folder, `${issuer}.key`))
  return true
}

/** Lists the public keys of a service that do not belong to its signing key nor to its next one. */
export function formerPublicKeys(folder: string, issuer: string): string[] {
  if (!existsSync(join(folder, `${issuer}.key`))) return []
  const paths = [join(folder, `${issuer}.key`), nextPath(folder, issuer)].filter(existsSync)
  const used = paths.map((path) => createPublicKey(privateKeyAt(path)))
  return publicKeysOf(folder, issuer)
    .filter(({ key }) => !used.some((one) => one.equals(key)))
    .map(({ name }) => name)
}

function nextPath(folder: string, issuer: string): string {
  return join(folder, `${issuer}.next.key`)
}

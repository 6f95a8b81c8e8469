import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { Signer } from '@coffer/kit/rpc/caller'
import { keyFault, keyFileNames, makeKeyFile, readKeyFile } from '../secrets/key-file.ts'
import type { Verifiers } from './caller-verifier.ts'

/**
 * Returns the signing key of a service from the keys folder: `<issuer>.key` (PKCS#8, mode 0600) and
 * `<issuer>.pub` (SPKI). Creates missing files, because no stored data depends on them.
 * @throws {SettingsError} when the files cannot be used or created
 */
export function loadSigner(folder: string, issuer: string): Signer {
  createSigningKey(folder, issuer)
  return { issuer, key: privateKeyAt(join(folder, `${issuer}.key`)) }
}

/**
 * Creates the missing files of a service's signing key; returns their paths. Throws SettingsError
 * when the files cannot be used or created.
 */
export function createSigningKey(folder: string, issuer: string): string[] {
  requireKeyPair(folder, issuer)
  const { path, publicPath } = pathsOf(folder, issuer)
  const isMade = makeKeyFile(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  const key = createPublicKey(privateKeyAt(path))
  const isPublicMade = makeKeyFile(publicPath, () =>
    key.export({ type: 'spki', format: 'pem' }).toString(),
  )
  // Concurrent processes may have created the two files from different key pairs.
  requireKeyPair(folder, issuer)
  return [...(isMade ? [path] : []), ...(isPublicMade ? [publicPath] : [])]
}

/**
 * Checks a service's signing key; returns whether both files exist. Throws SettingsError when a
 * file cannot be used, or the public key lacks its private key.
 */
export function requireKeyPair(folder: string, issuer: string): boolean {
  const { path, publicPath } = pathsOf(folder, issuer)
  // The public key is read first, because a concurrent process creates the private key first.
  const publicKey = keyOf(publicPath, createPublicKey)
  const key = keyOf(path, createPrivateKey)
  if (publicKey && !key) {
    const text = `is here without ${issuer}.key: bring that file back, or remove ${issuer}.pub here`
    const after = 'and wherever it was copied, and give the other processes the new one'
    throw keyFault(publicPath, `${text} ${after}, since they trust it`)
  }
  if (publicKey && key && !createPublicKey(key).equals(publicKey)) {
    const text = `does not belong to ${issuer}.key: remove it, to have it made anew`
    throw keyFault(publicPath, text)
  }
  return publicKey !== null && key !== null
}

/**
 * Loads the public keys in the keys folder; a file that is added later is read on first use. Throws
 * SettingsError when the folder or a key cannot be used.
 */
export function loadVerifiers(folder: string): Verifiers {
  const keys = new Map<string, KeyObject>()
  const load = (name: string): KeyObject | null => {
    const key = keyOf(join(folder, name), createPublicKey)
    if (key) keys.set(name, key)
    return key
  }
  for (const name of keyFileNames(folder)) {
    if (name.endsWith('.pub')) load(name)
  }
  return (issuer) => {
    const name = `${issuer}.pub`
    // The issuer is an unverified claim and could contain a path, so only listed files are opened.
    return keys.get(name) ?? (keyFileNames(folder).includes(name) ? load(name) : null)
  }
}

function pathsOf(folder: string, issuer: string): { path: string; publicPath: string } {
  return { path: join(folder, `${issuer}.key`), publicPath: join(folder, `${issuer}.pub`) }
}

function privateKeyAt(path: string): KeyObject {
  const key = keyOf(path, createPrivateKey)
  if (!key) throw keyFault(path, 'is missing: "coffer keys:create" makes it')
  return key
}

/** Reads and parses a key file; returns null when it does not exist. */
function keyOf(path: string, parse: (pem: string) => KeyObject): KeyObject | null {
  const pem = readKeyFile(path)
  if (pem === null) return null
  let key: KeyObject | null = null
  try {
    key = parse(pem)
  } catch {
    // A text that is no key is refused below, like a key of another type.
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw keyFault(path, 'is no Ed25519 key in PEM')
  return key
}

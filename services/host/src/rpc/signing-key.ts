import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { Signer } from '@coffer/kit/rpc/caller'
import { keyFault, keyFileNames, makeKeyFile, readKeyFile } from '../secrets/key-file.ts'

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
  if (requireKeyPair(folder, issuer)) return []
  const { path, publicPath } = pathsOf(folder, issuer)
  const isMade = makeKeyFile(path, newPrivateKey)
  const key = createPublicKey(privateKeyAt(path))
  const isPublicMade = makeKeyFile(publicPath, () => publicText(key))
  // Checks the pair, because concurrent processes may have created the files from different keys.
  requireKeyPair(folder, issuer)
  return [...(isMade ? [path] : []), ...(isPublicMade ? [publicPath] : [])]
}

/**
 * Checks a service's signing key; returns whether it and its public key exist. Throws SettingsError
 * when a file cannot be used, or none of the public keys belongs to the private key.
 */
export function requireKeyPair(folder: string, issuer: string): boolean {
  const { path, publicPath } = pathsOf(folder, issuer)
  // Reads the public keys first: a concurrent process creates the private key first, so that each
  // public key found here already has its private key.
  const publicKeys = publicKeysOf(folder, issuer)
  const key = keyOf(path, createPrivateKey)
  const [first] = publicKeys
  if (first && !key) {
    const text = `is here without ${issuer}.key: bring that file back, or remove ${first.name} here`
    const after = 'and wherever it was copied, and give the other processes the new one'
    throw keyFault(join(folder, first.name), `${text} ${after}, since they trust it`)
  }
  if (first && key && !publicKeys.some((one) => one.key.equals(createPublicKey(key)))) {
    const text = `does not belong to ${issuer}.key: remove it, to have it made anew`
    throw keyFault(publicPath, text)
  }
  return first !== undefined && key !== null
}

/** The public keys of the issuing services. */
export interface Verifiers {
  /** Returns the public keys of a service: several during a rotation, none if it is unknown. */
  keysOf: (issuer: string) => readonly KeyObject[]
  /** Reads the keys again. */
  reload: () => void
}

/** Maximum age in ms of the loaded public keys: then a removed file is no longer trusted. */
const reloadMs = 60_000

/**
 * Loads the public keys in the keys folder: each service may have several, `<issuer>.pub` and
 * `<issuer>.<ID>.pub`. A key added later is loaded at the first token signed with it. Throws
 * SettingsError when the folder or a key cannot be used.
 */
export function loadVerifiers(folder: string): Verifiers {
  let keys = allPublicKeys(folder)
  let readAt = performance.now()
  const reload = () => {
    readAt = performance.now()
    try {
      keys = allPublicKeys(folder)
    } catch {
      // The files may just be being replaced: the loaded keys stay valid.
    }
  }
  return {
    reload,
    keysOf: (issuer) => {
      if (performance.now() - readAt > reloadMs) reload()
      return keys.filter((one) => one.issuer === issuer).map(({ key }) => key)
    },
  }
}

/** A public key, and the service that signs with its private key. */
interface PublicKey {
  name: string
  issuer: string
  key: KeyObject
}

const publicName = /^([a-z-]+)(?:\.[0-9a-f]{16})?\.pub$/

function allPublicKeys(folder: string): PublicKey[] {
  return keyFileNames(folder).flatMap((name) => {
    const [, issuer] = publicName.exec(name) ?? []
    const key = issuer === undefined ? null : keyOf(join(folder, name), createPublicKey)
    return issuer && key ? [{ name, issuer, key }] : []
  })
}

/** Returns the public keys of a service that processes accept, `<issuer>.pub` first. */
export function publicKeysOf(folder: string, issuer: string): PublicKey[] {
  const names = keyFileNames(folder).filter((name) => publicName.exec(name)?.[1] === issuer)
  return names
    .sort((left, right) => left.length - right.length)
    .flatMap((name) => {
      const key = keyOf(join(folder, name), createPublicKey)
      return key ? [{ name, issuer, key }] : []
    })
}

/** Returns the text of a new private key. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Returns the text of a public key file. */
export function publicText(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

function pathsOf(folder: string, issuer: string): { path: string; publicPath: string } {
  return { path: join(folder, `${issuer}.key`), publicPath: join(folder, `${issuer}.pub`) }
}

/** Reads a private key file. Throws SettingsError when it is missing or cannot be used. */
export function privateKeyAt(path: string): KeyObject {
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
    // An unparsable text is refused below, like a key of another type.
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw keyFault(path, 'is no Ed25519 key in PEM')
  return key
}

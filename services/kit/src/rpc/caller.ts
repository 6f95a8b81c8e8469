import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keyFault, keyFileNames, makeKeyFile, readKeyFile } from '../secrets/key-file.ts'
import type { SettingsError } from '../service/config.ts'
import { callerRefused } from './errors.ts'

/** On whose behalf a call is made, vouched for by the service that signed it. */
const Caller = z.object({
  /** The service that made the call. */
  issuer: z.string(),
  /** A pending session owes its second factor: few RPCs accept it (coffer/options/v1). */
  kind: z.enum(['session', 'pending', 'key', 'system', 'anonymous']),
  /** The session, where it is one. */
  sessionId: z.string().optional(),
  /** An API key that may only call RPCs without side effects. */
  isReadOnly: z.boolean().optional(),
  /** Empty for an anonymous caller, as are the two below. */
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  /** IANA name; empty for system callers, who read it from their projection. */
  timezone: z.string(),
  locale: z.string(),
  subscriptionActive: z.boolean(),
})
export type Caller = z.infer<typeof Caller>

// Purpose and audience tell a caller from whatever else a service's key may come to sign: a token
// is for all services of the deployment, since they pass it on along a request.
const meant = { purpose: 'caller', audience: 'services' } as const

const Claims = Caller.extend({
  purpose: z.literal(meant.purpose),
  audience: z.literal(meant.audience),
  expiresAt: z.number(),
})

/** Signs caller tokens in the name of one service. */
export interface Signer {
  issuer: string
  key: KeyObject
}

export type Verifiers = (issuer: string) => KeyObject | null

/** Caller tokens live this long; they are minted for each credential or attempt. */
const callerLifetimeMs = 60_000

/** How far the clocks of two machines may be apart. */
const skewMs = 30_000

/** The user ID of what the system does by itself (spec/identity.md 2.5). */
const systemUserId = 'user_system'

/** Signs a caller token (Ed25519): base64url claims, a dot, base64url signature. */
export function mintCaller(signer: Signer, caller: Omit<Caller, 'issuer'>, now: Date): string {
  const expiresAt = now.getTime() + callerLifetimeMs
  const claims = { ...caller, issuer: signer.issuer, ...meant, expiresAt }
  const body = Buffer.from(JSON.stringify(claims))
  const signature = sign(null, body, signer.key)
  return `${body.toString('base64url')}.${signature.toString('base64url')}`
}

/** The token of a service that acts by itself on an account (consumers, activities). */
export function systemCaller(signer: Signer, accountId: string, now: Date): string {
  const nobody = { loginId: '', timezone: '', locale: '', subscriptionActive: true }
  return mintCaller(signer, { ...nobody, kind: 'system', accountId, userId: systemUserId }, now)
}

/** The token of a request that carries no credential. */
export function anonymousCaller(signer: Signer, now: Date): string {
  const nobody = { accountId: '', userId: '', loginId: '', timezone: '', locale: '' }
  return mintCaller(signer, { ...nobody, kind: 'anonymous', subscriptionActive: false }, now)
}

/**
 * Checks tokens against the issuers' public keys. A token already checked costs a map look-up
 * until it expires, with an allowance for clock skew. Throws callerRefused.
 */
export function callerVerifier(verifiers: Verifiers): (token: string, now: Date) => Caller {
  const checked = new Map<string, z.infer<typeof Claims>>()
  return (token, now) => {
    let claims = checked.get(token)
    if (!claims) {
      claims = check(verifiers, token)
      if (checked.size >= 10_000) checked.clear()
      checked.set(token, claims)
    }
    if (claims.expiresAt + skewMs <= now.getTime()) {
      checked.delete(token)
      throw callerRefused('caller token has expired')
    }
    return claims
  }
}

function check(verifiers: Verifiers, token: string): z.infer<typeof Claims> {
  const [body = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(body, 'base64url')
  try {
    const claims = Claims.parse(JSON.parse(bytes.toString()))
    const key = verifiers(claims.issuer)
    if (key && verify(null, bytes, key, Buffer.from(signature, 'base64url'))) return claims
  } catch {
    // A token that cannot be read is as good as none.
  }
  throw callerRefused('caller token is not valid')
}

/**
 * The signing key of a service from the keys folder: `<issuer>.key` (PKCS#8, mode 0600) and
 * `<issuer>.pub` (SPKI), made where they are missing: nothing that is stored depends on them.
 * Throws SettingsError where they cannot be used or made.
 */
export function loadSigner(folder: string, issuer: string): Signer {
  createSigningKey(folder, issuer)
  return { issuer, key: privateKeyAt(join(folder, `${issuer}.key`)) }
}

/** Makes what is missing of a service's signing key; returns the files made. As loadSigner. */
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
  if (!publicKeyAt(publicPath)?.equals(key)) throw strangerFault(folder, issuer)
  return [...(isMade ? [path] : []), ...(isPublicMade ? [publicPath] : [])]
}

/**
 * Checks what the folder has of a service's signing key, and makes nothing. Returns whether both
 * files are there. Throws SettingsError where one of them cannot be used, or where making the
 * missing one would leave a public key that belongs to no private key.
 */
export function requireKeyPair(folder: string, issuer: string): boolean {
  const { path, publicPath } = pathsOf(folder, issuer)
  // The public key first: another process that makes both makes the private key before it.
  const publicKey = publicKeyAt(publicPath)
  const key = keyOf(path, createPrivateKey)
  if (publicKey && !key) {
    const text = `is here without ${issuer}.key: bring that file back, or remove ${issuer}.pub here`
    const after = 'and wherever it was copied, and give the other processes the new one'
    throw keyFault(publicPath, `${text} ${after}, since they trust it`)
  }
  if (publicKey && key && !createPublicKey(key).equals(publicKey)) {
    throw strangerFault(folder, issuer)
  }
  return publicKey !== null && key !== null
}

/**
 * Public keys of the issuers in the folder; one that comes later is read when first asked for.
 * Throws SettingsError where the folder, or a public key in it, cannot be used.
 */
export function loadVerifiers(folder: string): Verifiers {
  const keys = new Map<string, KeyObject>()
  const load = (name: string): KeyObject | null => {
    const key = publicKeyAt(join(folder, name))
    if (key) keys.set(name, key)
    return key
  }
  for (const name of keyFileNames(folder)) {
    if (name.endsWith('.pub')) load(name)
  }
  return (issuer) => {
    const name = `${issuer}.pub`
    // Only what is in the folder: the issuer comes from a token nobody has vouched for yet.
    return keys.get(name) ?? (keyFileNames(folder).includes(name) ? load(name) : null)
  }
}

function pathsOf(folder: string, issuer: string): { path: string; publicPath: string } {
  return { path: join(folder, `${issuer}.key`), publicPath: join(folder, `${issuer}.pub`) }
}

function strangerFault(folder: string, issuer: string): SettingsError {
  const { publicPath } = pathsOf(folder, issuer)
  return keyFault(publicPath, `does not belong to ${issuer}.key: remove it, to have it made anew`)
}

function privateKeyAt(path: string): KeyObject {
  const key = keyOf(path, createPrivateKey)
  if (!key) throw keyFault(path, 'is missing: "coffer keys:create" makes it')
  return key
}

function publicKeyAt(path: string): KeyObject | null {
  return keyOf(path, createPublicKey)
}

/** Null where there is no such file. */
function keyOf(path: string, parse: (pem: string) => KeyObject): KeyObject | null {
  const pem = readKeyFile(path)
  if (pem === null) return null
  const key = parsed(parse, pem)
  if (key?.asymmetricKeyType !== 'ed25519') throw keyFault(path, 'is no Ed25519 key in PEM')
  return key
}

function parsed(parse: (pem: string) => KeyObject, pem: string): KeyObject | null {
  try {
    return parse(pem)
  } catch {
    return null
  }
}

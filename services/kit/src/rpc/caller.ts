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

/**
 * Claims about the originator of a call, vouched for by the service that signed them
 * (docs/architecture.md#callers).
 */
const Caller = z.object({
  /** The service that signed the token. */
  issuer: z.string(),
  /** `pending`: a session without its second factor, which few RPCs accept (coffer/options/v1). */
  kind: z.enum(['session', 'pending', 'key', 'system', 'anonymous']),
  /** ID of the session; unset for other kinds. */
  sessionId: z.string().optional(),
  /** Whether an API key may only call RPCs without side effects. */
  isReadOnly: z.boolean().optional(),
  /** Empty for an anonymous caller, like the two IDs below. */
  accountId: z.string(),
  userId: z.string(),
  loginId: z.string(),
  /** IANA name; empty for system callers, who read it from their projection. */
  timezone: z.string(),
  locale: z.string(),
  subscriptionActive: z.boolean(),
})
export type Caller = z.infer<typeof Caller>

// Purpose and audience prevent the use of other signatures of a service's key as caller tokens. A
// token is valid for all services, because each passes it on with the calls of a request.
const intendedUse = { purpose: 'caller', audience: 'services' } as const

const Claims = Caller.extend({
  purpose: z.literal(intendedUse.purpose),
  audience: z.literal(intendedUse.audience),
  expiresAt: z.number(),
})

/** Signs caller tokens in the name of one service. */
export interface Signer {
  issuer: string
  key: KeyObject
}

/** The public key of an issuer; null for an unknown issuer. */
export type Verifiers = (issuer: string) => KeyObject | null

/** Lifetime of a caller token; a token is minted for each credential or attempt. */
const callerLifetimeMs = 60_000

/** Allowance for clock skew between machines. */
const skewMs = 30_000

/** The user ID of work that no user requested (docs/api.md#ids). */
const systemUserId = 'user_system'

/**
 * Signs a caller token (Ed25519): base64url claims, a dot, base64url signature. Keys that are no
 * claim are left out. It expires after 60 s.
 */
export function mintCaller(signer: Signer, caller: Omit<Caller, 'issuer'>, now: Date): string {
  const expiresAt = now.getTime() + callerLifetimeMs
  const claims = Claims.parse({ ...caller, issuer: signer.issuer, ...intendedUse, expiresAt })
  const body = Buffer.from(JSON.stringify(claims))
  const signature = sign(null, body, signer.key)
  return `${body.toString('base64url')}.${signature.toString('base64url')}`
}

/** The token of a service that works on an account without a user (consumers, activities). */
export function systemCaller(signer: Signer, accountId: string, now: Date): string {
  const noUser = { loginId: '', timezone: '', locale: '', subscriptionActive: true }
  return mintCaller(signer, { ...noUser, kind: 'system', accountId, userId: systemUserId }, now)
}

/** The token of a request without a credential. */
export function anonymousCaller(signer: Signer, now: Date): string {
  const noUser = { accountId: '', userId: '', loginId: '', timezone: '', locale: '' }
  return mintCaller(signer, { ...noUser, kind: 'anonymous', subscriptionActive: false }, now)
}

/**
 * Verifies caller tokens with the issuers' public keys; throws callerRefused. Verified tokens are
 * cached until they expire, with an allowance for clock skew.
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
    // A malformed token is refused like a forged one.
  }
  throw callerRefused('caller token is not valid')
}

/**
 * The signing key of a service from the keys folder: `<issuer>.key` (PKCS#8, mode 0600) and
 * `<issuer>.pub` (SPKI). Missing files are created, because no stored data depends on them.
 *
 * @throws {SettingsError} when the files cannot be used or created
 */
export function loadSigner(folder: string, issuer: string): Signer {
  createSigningKey(folder, issuer)
  return { issuer, key: privateKeyAt(join(folder, `${issuer}.key`)) }
}

/**
 * Creates the missing files of a service's signing key; returns their paths.
 *
 * @throws {SettingsError} when the files cannot be used or created
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
  if (!publicKeyAt(publicPath)?.equals(key)) throw mismatchFault(folder, issuer)
  return [...(isMade ? [path] : []), ...(isPublicMade ? [publicPath] : [])]
}

/**
 * Checks a service's signing key without creating files; returns whether both files exist.
 *
 * @throws {SettingsError} when a file cannot be used, or when the public key lacks its private key
 */
export function requireKeyPair(folder: string, issuer: string): boolean {
  const { path, publicPath } = pathsOf(folder, issuer)
  // The public key is read first: a concurrent process creates the private key before the public
  // one.
  const publicKey = publicKeyAt(publicPath)
  const key = keyOf(path, createPrivateKey)
  if (publicKey && !key) {
    const text = `is here without ${issuer}.key: bring that file back, or remove ${issuer}.pub here`
    const after = 'and wherever it was copied, and give the other processes the new one'
    throw keyFault(publicPath, `${text} ${after}, since they trust it`)
  }
  if (publicKey && key && !createPublicKey(key).equals(publicKey)) {
    throw mismatchFault(folder, issuer)
  }
  return publicKey !== null && key !== null
}

/**
 * Public keys of the issuers in the keys folder. A file added later is read on first use.
 *
 * @throws {SettingsError} when the folder, or a public key in it, cannot be used
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
    // Only listed files are opened: the issuer is an unverified claim and could contain a path.
    return keys.get(name) ?? (keyFileNames(folder).includes(name) ? load(name) : null)
  }
}

function pathsOf(folder: string, issuer: string): { path: string; publicPath: string } {
  return { path: join(folder, `${issuer}.key`), publicPath: join(folder, `${issuer}.pub`) }
}

function mismatchFault(folder: string, issuer: string): SettingsError {
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

/** Parses a key file; null when it does not exist. */
function keyOf(path: string, parse: (pem: string) => KeyObject): KeyObject | null {
  const pem = readKeyFile(path)
  if (pem === null) return null
  const key = tryParse(parse, pem)
  if (key?.asymmetricKeyType !== 'ed25519') throw keyFault(path, 'is no Ed25519 key in PEM')
  return key
}

function tryParse(parse: (pem: string) => KeyObject, pem: string): KeyObject | null {
  try {
    return parse(pem)
  } catch {
    return null
  }
}

import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { JWKPublicKey } from 'plaid'

/** Fields of a token that a test forges. */
export interface Forged {
  /** Time of the signature, by default now. */
  at?: Date
  /** Key to sign with, by default the newest. */
  keyId?: string
  header?: object
  claims?: object
}

/** The keys of webhooks. The newest signs. */
export interface WebhookKeys {
  /** Creates a key, which signs from now on. The former ones stay valid. Returns its ID. */
  rotate: () => string
  /** Lets a key expire, by default now. */
  expire: (keyId: string, at?: Date) => void
  /** Lets the endpoint know no such key. */
  forget: (keyId: string) => void
  /** Returns the ID of the key that signs. */
  current: () => string
  find: (keyId: string) => JWKPublicKey | null
  /** Returns the value of the header `Plaid-Verification` for a body. */
  sign: (body: string, forged?: Forged) => string
}

/** Creates the keys of webhooks: pairs of P-256, for ES256. */
export function createWebhookKeys(now: () => Date): WebhookKeys {
  const keys = new Map<string, { jwk: JWKPublicKey; secret: KeyObject }>()
  let current = ''
  const get = (keyId: string) => {
    const key = keys.get(keyId)
    if (!key) throw new Error(`there is no key ${keyId}`)
    return key
  }
  const rotate = () => {
    current = randomUUID()
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const jwk = { alg: 'ES256', crv: 'P-256', kid: current, kty: 'EC', use: 'sig', x, y }
    const dates = { created_at: seconds(now()), expired_at: null }
    keys.set(current, { jwk: { ...jwk, ...dates }, secret: privateKey })
    return current
  }
  rotate()
  return {
    rotate,
    expire: (keyId, at = now()) => {
      get(keyId).jwk.expired_at = seconds(at)
    },
    forget: (keyId) => void keys.delete(keyId),
    current: () => current,
    find: (keyId) => keys.get(keyId)?.jwk ?? null,
    sign: (body, { at = now(), keyId = current, header, claims } = {}) => {
      const hash = createHash('sha256').update(body).digest('hex')
      const parts = [
        { alg: 'ES256', kid: keyId, typ: 'JWT', ...header },
        { iat: seconds(at), request_body_sha256: hash, ...claims },
      ]
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      const input = Buffer.from(signed.join('.'))
      const key = { key: get(keyId).secret, dsaEncoding: 'ieee-p1363' as const }
      return `${input}.${sign('sha256', input, key).toString('base64url')}`
    },
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './http-server.ts'

/** A simulated server of AWS KMS and of Vault. */
export interface KeyKeeper extends AsyncDisposable {
  url: string
  /** Names of the called KMS operations, and the called paths of Vault. */
  requests: string[]
  /** Makes the server answer every request with 503, until it is called with false. */
  fail: (isDown: boolean) => void
  /** Creates a new version of the Vault key, which encrypts all later data. */
  rotate: () => void
}

const token = 'vault-token-of-the-test'
const arnOf = (id: string) => `arn:aws:kms:eu-central-1:000000000000:key/${id}`

/** Returns the settings with which Coffer uses the simulated KMS or Vault. */
export const keeperSettings = {
  kms: (url: string, key = 'one') => ({
    COFFER_KEY_SERVICE: 'aws-kms',
    COFFER_KMS_KEY_ID: key,
    COFFER_KMS_ENDPOINT: url,
  }),
  vault: (url: string) => ({
    COFFER_KEY_SERVICE: 'vault',
    COFFER_VAULT_URL: url,
    COFFER_VAULT_TOKEN: token,
  }),
}

type Answer = { status: number; body: unknown }

/**
 * Starts a simulated AWS KMS (JSON 1.1, by X-Amz-Target) and a simulated transit engine of Vault
 * (HTTP API) on one free port. Both encrypt with AES-256-GCM.
 */
export async function startKeyKeeper(): Promise<KeyKeeper> {
  const keys = new Map<string, Buffer>()
  const requests: string[] = []
  let isDown = false
  let version = 1
  const keyOf = (name: string): Buffer => {
    const key = keys.get(name) ?? randomBytes(32)
    keys.set(name, key)
    return key
  }
  const kms = (target: string, body: Record<string, string>): Answer => {
    const arn = arnOf(body.KeyId?.split('/').at(-1) ?? '')
    if (target === 'DescribeKey') return { status: 200, body: { KeyMetadata: { Arn: arn } } }
    if (target === 'Encrypt') {
      const sealed = seal(keyOf(arn), Buffer.from(body.Plaintext ?? '', 'base64'))
      return { status: 200, body: { KeyId: arn, CiphertextBlob: sealed.toString('base64') } }
    }
    const opened = unseal(keyOf(arn), Buffer.from(body.CiphertextBlob ?? '', 'base64'))
    if (!opened) return { status: 400, body: { __type: 'InvalidCiphertextException' } }
    return { status: 200, body: { KeyId: arn, Plaintext: opened.toString('base64') } }
  }
  const vault = (path: string, body: Record<string, string>): Answer => {
    const [, , verb = '', name = ''] = path.split('/').slice(1)
    if (verb === 'keys') return { status: 200, body: { data: { latest_version: version } } }
    if (verb === 'encrypt') {
      const sealed = seal(keyOf(`${name} ${version}`), Buffer.from(body.plaintext ?? '', 'base64'))
      const ciphertext = `vault:v${version}:${sealed.toString('base64')}`
      return { status: 200, body: { data: { ciphertext } } }
    }
    const [, used = '', sealed = ''] = (body.ciphertext ?? '').split(':')
    const opened = unseal(keyOf(`${name} ${used.slice(1)}`), Buffer.from(sealed, 'base64'))
    if (!opened) return { status: 400, body: { errors: ['cannot decrypt'] } }
    return { status: 200, body: { data: { plaintext: opened.toString('base64') } } }
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1]
    const body = JSON.parse((await text(request)) || '{}')
    requests.push(target ?? String(request.url))
    const isKnown = target || request.headers['x-vault-token'] === token
    const refusal = { status: isDown ? 503 : 403, body: {} }
    const granted = () => (target ? kms(target, body) : vault(String(request.url), body))
    const answer = isDown || !isKnown ? refusal : granted()
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(answer.body))
  }
  const server = await listen(serve)
  return {
    url: server.origin,
    requests,
    fail: (down) => {
      isDown = down
    },
    rotate: () => {
      version += 1
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function seal(key: Buffer, bytes: Buffer): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Decrypts bytes; returns null if this key has not encrypted them. */
function unseal(key: Buffer, bytes: Buffer): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
  } catch {
    return null
  }
}

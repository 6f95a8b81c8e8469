import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { hashToken, verifyToken } from './webhook-token.ts'

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const now = new Date('2026-03-01T09:00:00Z')
const nowSeconds = now.getTime() / 1_000
const body = Buffer.from('{"webhook_code":"SYNC_UPDATES_AVAILABLE"}')
const { privateKey, publicKey } = await generateKeyPair('ES256')

function sign(claims: object = {}, key: CryptoKey = privateKey): Promise<string> {
  const request_body_sha256 = createHash('sha256').update(body).digest('hex')
  return new SignJWT({ iat: nowSeconds, request_body_sha256, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
    .sign(key)
}

/** Returns the token with another text of its signature. */
function rewrite(token: string, change: (signature: string) => string): string {
  const [header, payload, signature = ''] = token.split('.')
  return `${header}.${payload}.${change(signature)}`
}

/** Replaces s by n − s, which is valid too. */
function twinOf(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url')
  const s = order - BigInt(`0x${bytes.toString('hex', 32)}`)
  const twin = Buffer.from(s.toString(16).padStart(64, '0'), 'hex')
  return Buffer.concat([bytes.subarray(0, 32), twin]).toString('base64url')
}

/** Changes the four bits of the last character that no byte has. */
function withUnusedBits(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(signature.at(-1) ?? '')
  return `${signature.slice(0, -1)}${alphabet[last ^ 1]}`
}

test.each<[string, (signature: string) => string]>([
  ['the twin of its signature', twinOf],
  ['other unused bits', withUnusedBits],
  ['padding', (signature) => `${signature}==`],
  ['a space', (signature) => `${signature.slice(0, 9)} ${signature.slice(9)}`],
])('a token with %s has the same hash', async (_, change) => {
  const token = await sign()
  const rewritten = rewrite(token, change)
  expect(rewritten).not.toBe(token)
  expect(hashToken(rewritten)).toEqual(hashToken(token))
})

test('two webhooks of one second and body have hashes of their own', async () => {
  expect(hashToken(await sign())).not.toEqual(hashToken(await sign()))
})

const other = await generateKeyPair('ES256')

test.each<[string, Promise<string>, Date | string]>([
  ['a signature of another key', sign({}, other.privateKey), 'signature'],
  ['an age of 301 seconds', sign({ iat: nowSeconds - 301 }), 'age'],
  ['an age of 300 seconds', sign({ iat: nowSeconds - 300 }), new Date(now.getTime() - 300_000)],
  ['an instant in 6 seconds', sign({ iat: nowSeconds + 6 }), 'age'],
  ['no instant', sign({ iat: undefined }), 'age'],
  ['an end in the past', sign({ exp: nowSeconds - 6 }), 'age'],
  ['the hash of another body', sign({ request_body_sha256: 'a'.repeat(64) }), 'body'],
  ['no hash', sign({ request_body_sha256: undefined }), 'body'],
])('verifies a token with %s', async (_, token, expected) => {
  expect(await verifyToken(await token, { key: publicKey, body, now })).toEqual(expected)
})

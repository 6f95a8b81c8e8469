import { createHmac, createPublicKey } from 'node:crypto'
import { callerTokenType, keyIdOf, type Signer } from '@coffer/kit/rpc/caller'
import { expect, test } from '@jest/globals'
import { loadSigner } from '../../src/rpc/signing-key.ts'
import {
  base64,
  claims,
  former,
  iat,
  now,
  openKeys,
  refused,
  signFormer,
  signJwt,
} from '../../testing/fixture/caller-tokens.ts'

const publicPem = ({ key }: Signer) =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()

/** Forgeries of JWTs (RFC 8725 2) and what a compromised part could try. */
const forgeries: [string, (signers: { gateway: Signer; ledger: Signer }) => string][] = [
  ['the algorithm none', ({ gateway }) => signJwt(gateway, { header: { alg: 'none' } })],
  [
    'no signature',
    ({ gateway }) => `${signJwt(gateway, { header: { alg: 'none' } }).replace(/[^.]*$/, '')}`,
  ],
  [
    'an HMAC by the public key',
    ({ gateway }) => {
      const header = { ...callerTokenType, alg: 'HS256', kid: keyIdOf(gateway.key) }
      const text = `${base64(header)}.${base64(claims)}`
      const mac = createHmac('sha256', publicPem(gateway)).update(text).digest('base64url')
      return `${text}.${mac}`
    },
  ],
  ['another algorithm', ({ gateway }) => signJwt(gateway, { header: { alg: 'Ed25519' } })],
  ['another type', ({ gateway }) => signJwt(gateway, { header: { typ: 'JWT' } })],
  ['no type', ({ gateway }) => signJwt(gateway, { header: { typ: undefined } })],
  ['a key in its header', ({ gateway }) => signJwt(gateway, { header: { jwk: {} } })],
  ['a critical extension', ({ gateway }) => signJwt(gateway, { header: { crit: ['x'], x: 1 } })],
  ['no key ID', ({ gateway }) => signJwt(gateway, { header: { kid: undefined } })],
  ['an unknown key ID', ({ gateway }) => signJwt(gateway, { header: { kid: '0'.repeat(16) } })],
  ['the key of another service', ({ ledger }) => signJwt(ledger)],
  [
    'the ID of a key that did not sign it',
    ({ gateway, ledger }) => signJwt(ledger, { header: { kid: keyIdOf(gateway.key) } }),
  ],
  ['an unknown issuer', ({ gateway }) => signJwt(gateway, { claims: { iss: 'unknown' } })],
  ['an issuer that is a path', ({ gateway }) => signJwt(gateway, { claims: { iss: '../ledger' } })],
  ['a life of 61 s', ({ gateway }) => signJwt(gateway, { claims: { exp: iat + 61 } })],
  [
    'a life of ten years',
    ({ gateway }) => signJwt(gateway, { claims: { exp: iat + 10 * 31_536_000 } }),
  ],
  ['no end', ({ gateway }) => signJwt(gateway, { claims: { exp: undefined } })],
  ['no begin', ({ gateway }) => signJwt(gateway, { claims: { iat: undefined } })],
  ['an end before its begin', ({ gateway }) => signJwt(gateway, { claims: { exp: iat } })],
  ['half seconds', ({ gateway }) => signJwt(gateway, { claims: { exp: iat + 1.5 } })],
  ['an unknown claim', ({ gateway }) => signJwt(gateway, { claims: { role: 'admin' } })],
  ['no audience', ({ gateway }) => signJwt(gateway, { claims: { aud: undefined } })],
  ['an empty audience', ({ gateway }) => signJwt(gateway, { claims: { aud: [] } })],
  ['a text as audience', ({ gateway }) => signJwt(gateway, { claims: { aud: 'ledger' } })],
  ['no user', ({ gateway }) => signJwt(gateway, { claims: { sub: undefined } })],
  ['another purpose, as of 0.2.0', (s) => signFormer(s.gateway, { ...former, purpose: 'reset' })],
  ['no purpose, as of 0.2.0', (s) => signFormer(s.gateway, { ...former, purpose: undefined })],
  ['an audience, as of 0.2.0', (s) => signFormer(s.gateway, { ...former, audience: 'ledger' })],
  ['an unknown claim, as of 0.2.0', (s) => signFormer(s.gateway, { ...former, role: 'admin' })],
  ['the key of another service, as of 0.2.0', (s) => signFormer(s.ledger)],
  [
    'a life of 91 s, as of 0.2.0',
    ({ gateway }) => signFormer(gateway, { ...former, expiresAt: now.getTime() + 91_000 }),
  ],
]

test.each(forgeries)('a token with %s is refused', async (_name, forge) => {
  await using opened = await openKeys()
  const { folder, gateway, check } = opened
  const ledger = loadSigner(folder.path, 'ledger')
  await check(signJwt(gateway))
  await check(signFormer(gateway))
  const text = 'caller token is not valid'
  await expect(check(forge({ gateway, ledger }))).rejects.toMatchObject({
    ...refused,
    rawMessage: text,
  })
})

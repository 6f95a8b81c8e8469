import { sign } from 'node:crypto'
import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { anonymousCaller, mintCaller, systemCaller } from '@coffer/kit/rpc/caller'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { callerVerifier } from '../../src/rpc/caller-verifier.ts'
import { loadSigner, loadVerifiers } from '../../src/rpc/signing-key.ts'
import { createNextKey, formerPublicKeys, useNextKey } from '../../src/rpc/signing-rotation.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

const now = new Date('2026-01-01T00:00:00Z')
const alice = {
  kind: 'session' as const,
  accountId: 'acct_1',
  userId: 'user_1',
  loginId: 'lgn_1',
  timezone: 'Europe/Berlin',
  locale: 'de_DE',
  subscriptionActive: true,
}
const refused = { code: Code.Unauthenticated }

async function open() {
  const folder = await scratchFolder()
  const gateway = loadSigner(folder.path, 'gateway')
  const verify = callerVerifier(loadVerifiers(folder.path))
  const check = async (token: string, at = now) => verify(token, at)
  return { folder, gateway, check, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('a token carries the caller and its issuer', async () => {
  await using opened = await open()
  const { gateway, check } = opened
  const caller = await check(mintCaller(gateway, alice, now))
  expect(caller).toMatchObject({ ...alice, issuer: 'gateway' })
})

test('a token is valid for a minute and 30 s of clock skew, also when cached', async () => {
  await using opened = await open()
  const { gateway, check } = opened
  const token = mintCaller(gateway, alice, now)
  const last = new Date(now.getTime() + 89_999)
  await check(token, last)
  await check(token, last)
  const expired = new Date(now.getTime() + 90_000)
  await expect(check(token, expired)).rejects.toMatchObject(refused)
  await expect(check(token, expired)).rejects.toMatchObject(refused)
})

test('a token changed in any place is refused', async () => {
  await using opened = await open()
  const { gateway, check } = opened
  const token = mintCaller(gateway, alice, now)
  for (let at = 0; at < token.length; at++) {
    // Flips a high bit of each base64url character: the low bits of a last one may have no meaning.
    const flipped = String.fromCharCode(token.charCodeAt(at) ^ 0x10)
    const changed = `${token.slice(0, at)}${flipped}${token.slice(at + 1)}`
    await expect(check(changed)).rejects.toMatchObject(refused)
  }
  const [claims = '', signature = ''] = token.split('.')
  const other = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...other, accountId: 'acct_2' }))
  const tokens = [`${forged.toString('base64url')}.${signature}`, claims, `${claims}.`, '', '.']
  for (const bad of tokens) await expect(check(bad)).rejects.toMatchObject(refused)
})

test('a key is accepted for its own issuer only', async () => {
  await using opened = await open()
  const { folder, check } = opened
  const ledger = loadSigner(folder.path, 'ledger')
  const pretending = mintCaller({ ...ledger, issuer: 'gateway' }, alice, now)
  await expect(check(pretending)).rejects.toMatchObject(refused)
  const unknown = mintCaller({ ...ledger, issuer: 'unknown' }, alice, now)
  await expect(check(unknown)).rejects.toMatchObject(refused)
  const outside = mintCaller({ ...ledger, issuer: '../ledger' }, alice, now)
  await expect(check(outside)).rejects.toMatchObject(refused)
})

test.each([
  ['another purpose', { purpose: 'reset' }],
  ['no purpose', { purpose: undefined }],
  ['another audience', { audience: 'clients' }],
  ['no audience', { audience: undefined }],
])('claims signed for %s are refused', async (_name, change) => {
  await using opened = await open()
  const { gateway, check } = opened
  const [claims = ''] = mintCaller(gateway, alice, now).split('.')
  const caller = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const body = Buffer.from(JSON.stringify({ ...caller, ...change }))
  const signature = sign(null, body, gateway.key).toString('base64url')
  await expect(check(`${body.toString('base64url')}.${signature}`)).rejects.toMatchObject(refused)
})

test('tokens of another deployment are refused', async () => {
  await using one = await open()
  await using other = await open()
  const token = mintCaller(other.gateway, alice, now)
  await other.check(token)
  await expect(one.check(token)).rejects.toMatchObject(refused)
})

test('a system caller has one account, an anonymous caller none', async () => {
  await using opened = await open()
  const { gateway, check } = opened
  expect(await check(systemCaller(gateway, 'acct_1', now))).toMatchObject({
    kind: 'system',
    accountId: 'acct_1',
    userId: 'user_system',
    timezone: '',
  })
  expect(await check(anonymousCaller(gateway, now))).toMatchObject({
    kind: 'anonymous',
    accountId: '',
    userId: '',
  })
})

test('a service has one key of mode 0600, and a lost public key is created again', async () => {
  await using opened = await open()
  const { folder, gateway, check } = opened
  expect((await readdir(folder.path)).sort()).toEqual(['gateway.key', 'gateway.pub'])
  expect((await stat(join(folder.path, 'gateway.key'))).mode & 0o777).toBe(0o600)
  await rm(join(folder.path, 'gateway.pub'))
  const again = loadSigner(folder.path, 'gateway')
  expect(again.key.equals(gateway.key)).toBe(true)
  await check(mintCaller(again, alice, now))
  loadSigner(folder.path, 'ledger')
  await copyFile(join(folder.path, 'ledger.pub'), join(folder.path, 'gateway.pub'))
  const line = 'gateway.pub does not belong to gateway.key: remove it, to have it made anew'
  expect(() => loadSigner(folder.path, 'gateway')).toThrow(line)
  await rm(join(folder.path, 'gateway.key'))
  expect(() => loadSigner(folder.path, 'gateway')).toThrow('is here without gateway.key')
  expect(await readdir(folder.path)).not.toContain('gateway.key')
})

test('during a rotation former and next keys are accepted, then the next alone', async () => {
  await using opened = await open()
  const { folder, gateway, check } = opened
  createNextKey(folder.path, 'gateway')
  expect(loadSigner(folder.path, 'gateway').key.equals(gateway.key)).toBe(true)
  expect(useNextKey(folder.path, 'gateway')).toBe(true)
  const next = loadSigner(folder.path, 'gateway')
  expect(next.key.equals(gateway.key)).toBe(false)
  await check(mintCaller(gateway, alice, now))
  await check(mintCaller(next, alice, now))
  const former = formerPublicKeys(folder.path, 'gateway')
  expect(former).toEqual(['gateway.pub'])
  for (const name of former) await rm(join(folder.path, name))
  expect(loadSigner(folder.path, 'gateway').key.equals(next.key)).toBe(true)
  const fresh = callerVerifier(loadVerifiers(folder.path))
  expect(fresh(mintCaller(next, alice, now), now)).toMatchObject(alice)
  expect(() => fresh(mintCaller(gateway, alice, now), now)).toThrow('caller token is not valid')
})

test('processes that start concurrently agree on the key', async () => {
  await using folder = await scratchFolder()
  const module = new URL('../../src/rpc/signing-key.ts', import.meta.url).href
  const script = `
    import { parentPort } from 'node:worker_threads'
    import { loadSigner } from ${JSON.stringify(module)}
    const { key } = loadSigner(${JSON.stringify(folder.path)}, 'gateway')
    parentPort.postMessage(key.export({ type: 'pkcs8', format: 'pem' }))`
  const source = new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  const keys = await Promise.all(
    Array.from(
      { length: 3 },
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker(source)
          worker.once('message', resolve)
          worker.once('error', reject)
        }),
    ),
  )
  expect(new Set(keys).size).toBe(1)
  const { key } = loadSigner(folder.path, 'gateway')
  expect(keys[0]).toBe(key.export({ type: 'pkcs8', format: 'pem' }))
})

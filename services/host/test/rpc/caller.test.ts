import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  anonymousCaller,
  callerTokenType,
  keyIdOf,
  mintCaller,
  type Signer,
  systemCaller,
} from '@coffer/kit/rpc/caller'
import { expect, test } from '@jest/globals'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { callerVerifier } from '../../src/rpc/caller-verifier.ts'
import { loadSigner, loadVerifiers } from '../../src/rpc/signing-key.ts'
import { createNextKey, formerPublicKeys, useNextKey } from '../../src/rpc/signing-rotation.ts'
import {
  alice,
  claims,
  now,
  openKeys,
  refused,
  signFormer,
  tokenOf,
} from '../../testing/fixture/caller-tokens.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

test('a token carries the caller and its issuer, and is signed once for an audience', async () => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  const caller = mintCaller(gateway, { ...alice, more: 'unknown' } as never, now)
  const token = await caller.tokenFor(['ledger'])
  expect(await check(token)).toEqual({ ...alice, issuer: 'gateway' })
  expect(decodeProtectedHeader(token)).toEqual({ ...callerTokenType, kid: keyIdOf(gateway.key) })
  expect(decodeJwt(token)).toEqual(claims)
  expect(await caller.tokenFor(['ledger'])).toBe(token)
  const passedOn = await caller.tokenFor(['budgeting', 'ledger'])
  expect(passedOn).not.toBe(token)
  await check(passedOn, now, 'ledger')
  await check(passedOn, now, 'budgeting')
})

test.each([
  ['of this version', tokenOf],
  ['of 0.2.0', async (signer: Signer) => signFormer(signer)],
])('a token %s is valid for a minute and 30 s of skew, also when cached', async (_name, make) => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  const token = await make(gateway)
  const last = new Date(now.getTime() + 89_999)
  await check(token, last)
  await check(token, last)
  const expired = new Date(now.getTime() + 90_000)
  const text = 'caller token has expired'
  await expect(check(token, expired)).rejects.toMatchObject({ ...refused, rawMessage: text })
  await expect(check(token, expired)).rejects.toMatchObject({ ...refused, rawMessage: text })
})

test.each([
  ['of this version', tokenOf],
  ['of 0.2.0', async (signer: Signer) => signFormer(signer)],
])('a token %s that is changed in any place is refused', async (_name, make) => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  const token = await make(gateway)
  for (let at = 0; at < token.length; at++) {
    // Flips a high bit of each base64url character: the low bits of a last one may have no meaning.
    const flipped = String.fromCharCode(token.charCodeAt(at) ^ 0x10)
    const changed = `${token.slice(0, at)}${flipped}${token.slice(at + 1)}`
    await expect(check(changed)).rejects.toMatchObject(refused)
  }
  const parts = token.split('.')
  const cut = [parts.slice(0, -1).join('.'), parts.slice(1).join('.'), '', '.', '..']
  const more = ['.', '.more', '=', ' ', `.${parts.at(-1)}`].map((text) => `${token}${text}`)
  // The last character has two bits of the signature: decoders ignore the other four.
  const slack = String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
  const bad = [...cut, ...more, ` ${token}`, token.slice(0, -1) + slack]
  for (const one of bad) await expect(check(one)).rejects.toMatchObject(refused)
})

test('a token is refused by every service but the called one, also when cached', async () => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  const token = await tokenOf(gateway)
  const rawMessage = 'caller token is for another service'
  for (const service of ['identity', 'budgeting', 'gateway', '']) {
    await expect(check(token, now, service)).rejects.toMatchObject({ ...refused, rawMessage })
  }
  await check(token)
  await expect(check(token, now, 'identity')).rejects.toMatchObject({ ...refused, rawMessage })
})

test('a token from the future is refused beyond 30 s of skew', async () => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  await check(await tokenOf(gateway, new Date(now.getTime() + 30_000)))
  const early = await tokenOf(gateway, new Date(now.getTime() + 31_000))
  const rawMessage = 'caller token is from the future'
  await expect(check(early)).rejects.toMatchObject({ ...refused, rawMessage })
})

test('tokens of another deployment are refused', async () => {
  await using one = await openKeys()
  await using other = await openKeys()
  const token = await tokenOf(other.gateway)
  await other.check(token)
  await expect(one.check(token)).rejects.toMatchObject(refused)
})

test('a system caller has one account, an anonymous caller none', async () => {
  await using opened = await openKeys()
  const { gateway, check } = opened
  const { caller: system, tokenFor } = systemCaller(gateway, 'acct_1', now)
  expect(await check(await tokenFor(['ledger']))).toEqual(system)
  expect(system).toMatchObject({
    kind: 'system',
    accountId: 'acct_1',
    userId: 'user_system',
    timezone: '',
  })
  const anonymous = anonymousCaller(gateway, now)
  expect(await check(await anonymous.tokenFor(['ledger']))).toEqual(anonymous.caller)
  expect(anonymous.caller).toMatchObject({
    kind: 'anonymous',
    accountId: '',
    userId: '',
  })
})

test('a service has one key of mode 0600, and a lost public key is created again', async () => {
  await using opened = await openKeys()
  const { folder, gateway, check } = opened
  expect((await readdir(folder.path)).sort()).toEqual(['gateway.key', 'gateway.pub'])
  expect((await stat(join(folder.path, 'gateway.key'))).mode & 0o777).toBe(0o600)
  await rm(join(folder.path, 'gateway.pub'))
  const again = loadSigner(folder.path, 'gateway')
  expect(again.key.equals(gateway.key)).toBe(true)
  await check(await tokenOf(again))
  loadSigner(folder.path, 'ledger')
  await copyFile(join(folder.path, 'ledger.pub'), join(folder.path, 'gateway.pub'))
  const line = 'gateway.pub does not belong to gateway.key: remove it, to have it made anew'
  expect(() => loadSigner(folder.path, 'gateway')).toThrow(line)
  await rm(join(folder.path, 'gateway.key'))
  expect(() => loadSigner(folder.path, 'gateway')).toThrow('is here without gateway.key')
  expect(await readdir(folder.path)).not.toContain('gateway.key')
})

test('during a rotation former and next keys are accepted, then the next alone', async () => {
  await using opened = await openKeys()
  const { folder, gateway, check } = opened
  createNextKey(folder.path, 'gateway')
  expect(loadSigner(folder.path, 'gateway').key.equals(gateway.key)).toBe(true)
  expect(useNextKey(folder.path, 'gateway')).toBe(true)
  const next = loadSigner(folder.path, 'gateway')
  expect(next.key.equals(gateway.key)).toBe(false)
  await check(await tokenOf(gateway))
  await check(await tokenOf(next))
  await check(signFormer(next))
  const former = formerPublicKeys(folder.path, 'gateway')
  expect(former).toEqual(['gateway.pub'])
  for (const name of former) await rm(join(folder.path, name))
  expect(loadSigner(folder.path, 'gateway').key.equals(next.key)).toBe(true)
  const fresh = callerVerifier(loadVerifiers(folder.path))
  await fresh(await tokenOf(next), ['ledger'], now)
  await expect(fresh(await tokenOf(gateway), ['ledger'], now)).rejects.toMatchObject(refused)
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

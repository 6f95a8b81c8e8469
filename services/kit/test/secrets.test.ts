import { randomBytes } from 'node:crypto'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { formerKeyFiles, localKeyEncryption, replaceLocalKey } from '../src/local-keys.ts'
import { createSecrets, type SealedSecret } from '../src/secrets.ts'
import { scratchFolder } from './scratch.ts'

const owner = 'acct_1/lfx_1'

test('a secret comes back for its owner, also after a restart', async () => {
  await using folder = await scratchFolder()
  const sealed = await createSecrets(localKeyEncryption(folder.path)).seal('ключ-abc', owner)
  const restarted = createSecrets(localKeyEncryption(folder.path))
  expect(await restarted.open(sealed, owner)).toBe('ключ-abc')
})

test('the stored form shows neither the secret nor that two are equal', async () => {
  await using folder = await scratchFolder()
  const secrets = createSecrets(localKeyEncryption(folder.path))
  const [one, two] = [await secrets.seal('abcdefgh', owner), await secrets.seal('abcdefgh', owner)]
  expect(one.ciphertext.includes('abcdefgh')).toBe(false)
  expect(one.ciphertext.equals(two.ciphertext)).toBe(false)
  expect(one.keyId).toBe(two.keyId)
})

test('a secret changed in any byte, cut short or moved to another row does not open', async () => {
  await using folder = await scratchFolder()
  const secrets = createSecrets(localKeyEncryption(folder.path))
  const sealed = await secrets.seal('abc', owner)
  for (const part of ['dataKey', 'ciphertext'] as const) {
    for (let at = 0; at < sealed[part].length; at++) {
      const bytes = Buffer.from(sealed[part])
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      await expect(secrets.open({ ...sealed, [part]: bytes }, owner)).rejects.toThrow()
    }
    const short: SealedSecret = { ...sealed, [part]: sealed[part].subarray(0, 20) }
    await expect(secrets.open(short, owner)).rejects.toThrow()
  }
  await expect(secrets.open(sealed, 'acct_2/lfx_1')).rejects.toThrow()
})

test('another key file is told apart by its ID', async () => {
  await using ours = await scratchFolder()
  await using theirs = await scratchFolder()
  const sealed = await createSecrets(localKeyEncryption(ours.path)).seal('abc', owner)
  const others = createSecrets(localKeyEncryption(theirs.path))
  await expect(others.open(sealed, owner)).rejects.toThrow(`secret needs key ${sealed.keyId}`)
})

test('the key file is made once, for its owner alone, and a damaged one is not used', async () => {
  await using folder = await scratchFolder()
  const path = join(folder.path, 'keys')
  const dataKey = Buffer.alloc(32)
  const wrapped = [1, 2].map(() => localKeyEncryption(path).wrap(dataKey))
  const keyIds = (await Promise.all(wrapped)).map(({ keyId }) => keyId)
  expect(keyIds[0]).toBe(keyIds[1])
  expect(await readdir(path)).toEqual(['secrets.key'])
  expect((await stat(join(path, 'secrets.key'))).mode & 0o777).toBe(0o600)
  await writeFile(join(path, 'secrets.key'), 'c2hvcnQ=')
  const wrap = localKeyEncryption(path).wrap(dataKey)
  await expect(wrap).rejects.toThrow('does not hold 32 bytes')
})

test('a key is kept under its own name before it is in use, so that none is lost', async () => {
  await using folder = await scratchFolder()
  const keys = localKeyEncryption(folder.path)
  const sealed = [await createSecrets(keys).seal('abc', owner)]
  // As if another process replaced the key before anything was moved to it.
  for (const _ of [1, 2]) {
    replaceLocalKey(folder.path)
    sealed.push(await createSecrets(keys).seal('abc', owner))
  }
  const former = sealed.slice(0, 2).map(({ keyId }) => `${keyId.replace('local:', 'secrets-')}.key`)
  expect(formerKeyFiles(folder.path).sort()).toEqual(former.sort())
  await rm(join(folder.path, 'secrets.key'))
  await writeFile(join(folder.path, 'secrets.key'), `${randomBytes(32).toString('base64')}\n`)
  const opened = sealed.map((one) => createSecrets(keys).open(one, owner))
  expect(await Promise.all(opened)).toEqual(['abc', 'abc', 'abc'])
})

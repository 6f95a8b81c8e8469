import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { SettingsError } from '@coffer/kit/service/config'
import { describe, expect, test } from '@jest/globals'
import { loadSigner, loadVerifiers } from '../../src/rpc/signing-key.ts'
import { createSecrets } from '../../src/secrets/envelope-encryption.ts'
import {
  createLocalKey,
  formerKeyFiles,
  localKeyEncryption,
  replaceLocalKey,
} from '../../src/secrets/local-keys.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

const owner = 'acct_1/lfx_1'

function keysIn(folder: string) {
  createLocalKey(folder)
  return localKeyEncryption(folder)
}

test('a secret opens for its owner, also after a restart', async () => {
  await using folder = await scratchFolder()
  const sealed = await createSecrets(keysIn(folder.path)).seal('ключ-abc', owner)
  const restarted = createSecrets(keysIn(folder.path))
  expect(await restarted.open(sealed, owner)).toBe('ключ-abc')
})

test('the stored form reveals neither the secret nor the equality of two', async () => {
  await using folder = await scratchFolder()
  const secrets = createSecrets(keysIn(folder.path))
  const [one, two] = [await secrets.seal('abcdefgh', owner), await secrets.seal('abcdefgh', owner)]
  expect(one.ciphertext.includes('abcdefgh')).toBe(false)
  expect(one.ciphertext.equals(two.ciphertext)).toBe(false)
  expect(one.keyId).toBe(two.keyId)
})

test('a secret changed in any byte, truncated or moved to another row does not open', async () => {
  await using folder = await scratchFolder()
  const secrets = createSecrets(keysIn(folder.path))
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

test('another key file has another ID', async () => {
  await using ours = await scratchFolder()
  await using theirs = await scratchFolder()
  const sealed = await createSecrets(keysIn(ours.path)).seal('abc', owner)
  const others = createSecrets(keysIn(theirs.path))
  await expect(others.open(sealed, owner)).rejects.toThrow(`secret needs key ${sealed.keyId}`)
})

test('the key file is created once, with mode 0600, and never by sealing a secret', async () => {
  await using folder = await scratchFolder()
  const path = join(folder.path, 'keys')
  const dataKey = Buffer.alloc(32)
  const keys = localKeyEncryption(path)
  await expect(keys.wrap(dataKey)).rejects.toThrow('secrets.key is missing')
  await expect(keys.unwrap({ keyId: 'local:1', bytes: dataKey })).rejects.toThrow('local:1')
  expect(await readdir(folder.path)).toEqual([])
  expect([createLocalKey(path), createLocalKey(path)]).toEqual([[join(path, 'secrets.key')], []])
  expect(await readdir(path)).toEqual(['secrets.key'])
  expect((await stat(join(path, 'secrets.key'))).mode & 0o777).toBe(0o600)
  expect(keys.isAtHand((await keys.wrap(dataKey)).keyId)).toBe(true)
})

const full = '\0'.repeat(17_000)

describe.each(['secrets.key', 'gateway.key', 'gateway.pub'])('a %s', (name) => {
  test.each<[string, (path: string) => unknown, RegExp]>([
    ['that is empty', (path) => writeFile(path, '', { mode: 0o600 }), /is empty$/],
    [
      'that is cut short',
      (path) => writeFile(path, 'c2hvcnQ=', { mode: 0o600 }),
      /does not hold 32 bytes of base64$|is no Ed25519 key in PEM$/,
    ],
    ['that is no key', (path) => writeFile(path, full, { mode: 0o600 }), /is too large for a key$/],
    ['that is a folder', (path) => mkdir(path), /is not a regular file$/],
    ['that is a device', (path) => symlink('/dev/zero', path), /is not a regular file$/],
    ['that is a pipe', (path) => execFileSync('mkfifo', [path]), /is not a regular file$/],
    ['that is a dangling link', (path) => symlink('gone', path), /is a dangling symbolic link:/],
    ['that leads to itself', (path) => symlink(path, path), /cannot be read \(ELOOP: .+\)$/],
  ])('%s is one line', async (_what, make, line) => {
    await using folder = await scratchFolder()
    const path = join(folder.path, name)
    await make(path)
    expectFault(() => use(folder.path, name), path, line)
  })
})

test.each(['secrets.key', 'gateway.key'])(
  'a %s that other users may read is refused',
  async (name) => {
    await using folder = await scratchFolder()
    use(folder.path, name)
    const path = join(folder.path, name)
    await chmod(path, 0o640)
    use(folder.path, name)
    await chmod(path, 0o644)
    expectFault(() => use(folder.path, name), path, /others \(mode 644\): chmod it to 600$/)
  },
)

test.each<[string, (path: string) => unknown, RegExp]>([
  ['a file', (path) => writeFile(path, 'x'), /cannot be read \(ENOTDIR: not a directory\)$/],
  ['a device', (path) => symlink('/dev/null', path), /cannot be read \(ENOTDIR: .+\)$/],
  ['a dangling link', (path) => symlink('gone/too', path), /is a dangling symbolic link:/],
])('a keys folder that is %s is refused in one line', async (_what, make, line) => {
  await using folder = await scratchFolder()
  const path = join(folder.path, 'keys')
  await make(path)
  expectFault(() => loadVerifiers(path), path, line)
  expect(() => loadSigner(path, 'gateway')).toThrow(SettingsError)
  expect(() => createLocalKey(path)).toThrow(SettingsError)
})

test('the error for a keys folder that cannot be created says what to do', () => {
  const path = '/proc/no-keys/here'
  const line = /is missing and cannot be made here \(ENOENT: .+\): bring it .+"coffer keys:create"/
  expectFault(() => createLocalKey(path), join(path, 'secrets.key'), line)
})

/** Loads or creates the key file as a starting process does. */
function use(folder: string, name: string): void {
  if (name === 'secrets.key') createLocalKey(folder)
  else loadSigner(folder, 'gateway')
}

function expectFault(call: () => unknown, path: string, line: RegExp): void {
  let thrown: unknown = null
  try {
    call()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(SettingsError)
  const { message } = thrown as Error
  expect(message.startsWith(`COFFER_KEYS_DIR: ${path} `)).toBe(true)
  expect(message).toMatch(line)
  expect(message).not.toContain('\n')
}

test('a key is stored under its own name before it is used, so that none is lost', async () => {
  await using folder = await scratchFolder()
  const keys = keysIn(folder.path)
  const sealed = [await createSecrets(keys).seal('abc', owner)]
  // The second replacement comes before any secret is encrypted again under the first new key.
  for (const _ of [1, 2]) {
    replaceLocalKey(folder.path)
    sealed.push(await createSecrets(keys).seal('abc', owner))
  }
  const former = sealed.slice(0, 2).map(({ keyId }) => `${keyId.replace('local:', 'secrets-')}.key`)
  expect(formerKeyFiles(folder.path).sort()).toEqual(former.sort())
  await rm(join(folder.path, 'secrets.key'))
  createLocalKey(folder.path)
  const opened = sealed.map((one) => createSecrets(keys).open(one, owner))
  expect(await Promise.all(opened)).toEqual(['abc', 'abc', 'abc'])
})

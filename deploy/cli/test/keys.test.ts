import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'

test('keys:rotate creates a new key, and keeps the former key beside it', async () => {
  await using place = await deployment()
  const { code, stdout } = await runHere(['keys:rotate'], place.env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^new key local:[0-9a-f]{16};/)
  expect(stdout).toContain('feed-sync: 0 secrets')
  const [, former] = /only older backups need (secrets-[0-9a-f]{16}\.key)\.\n$/.exec(stdout) ?? []
  const keysOf = async () => readdir(`${place.env.COFFER_DATA_DIR}/keys`)
  const keys = await keysOf()
  expect(keys).toContain(former)
  const finished = await runHere(['keys:rotate', '--finish'], place.env)
  expect([finished.code, finished.stdout]).toEqual([
    0,
    expect.not.stringContaining('new key local:'),
  ])
  expect(await keysOf()).toEqual(keys)
})

test('keys:rotate without the address of its key service prints one line', async () => {
  await using place = await deployment()
  const env = { ...place.env, COFFER_KEY_SERVICE: 'aws-kms' }
  const { code, stderr } = await runHere(['keys:rotate'], env)
  expect([code, stderr]).toEqual([2, expect.stringContaining('COFFER_KMS_KEY_ID: needed')])
})

test('keys:rotate --signing creates next keys, and with --finish signs with them', async () => {
  await using folder = await scratch()
  const env = { COFFER_KEYS_DIR: folder.path }
  await runHere(['keys:create'], env)
  const early = await runHere(['keys:rotate', '--signing', '--finish'], env)
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('no next keys: run')])
  const made = await runHere(['keys:rotate', '--signing'], env)
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('made ')])
  const names = await readdir(folder.path)
  for (const name of services) expect(names).toContain(`${name}.next.key`)
  const again = await runHere(['keys:rotate', '--signing'], env)
  expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining('made ')])
  const finished = await runHere(['keys:rotate', '--signing', '--finish'], env)
  expect([finished.code, finished.stdout]).toEqual([0, expect.stringContaining('gateway.pub\n')])
  const after = await readdir(folder.path)
  expect(after).toEqual(names.filter((name) => !name.endsWith('.next.key')))
  for (const name of services) await rm(join(folder.path, `${name}.pub`))
  const { stdout } = await runHere(['keys:create'], env)
  expect(stdout).toContain('nothing is missing')
})

const services = [
  'aggregator-sync',
  'budgeting',
  'feed-sync',
  'gateway',
  'identity',
  'ledger',
  'notices',
]
const signing = services.flatMap((name) => [`${name}.key`, `${name}.pub`])

test('keys:create --parts gives each part the keys that it needs, and no others', async () => {
  await using folder = await scratch()
  const [keys, parts] = ['keys', 'parts'].map((name) => join(folder.path, name)) as [string, string]
  const env = { COFFER_KEYS_DIR: keys }
  const copy = (...more: string[]) => runHere(['keys:create', '--parts', parts, ...more], env)
  const lost = 'local:0123456789abcdef'
  expect(await copy('--lost', lost)).toMatchObject({ code: 0, stderr: '' })
  const secrets = ['secrets.key', 'secrets-0123456789abcdef.lost']
  const encrypting = ['identity', 'aggregator-sync', 'feed-sync']
  const wanted = (part: string, publicKeys: string[]) =>
    [`${part}.key`, ...publicKeys, ...(encrypting.includes(part) ? secrets : [])].sort()
  const publicKeys = services.map((name) => `${name}.pub`)
  for (const part of services) {
    const own = join(parts, part)
    expect((await readdir(own)).sort()).toEqual(wanted(part, publicKeys))
    expect((await stat(join(own, `${part}.key`))).mode & 0o777).toBe(0o600)
  }
  // A rotation: new and changed files are copied, deleted ones disappear.
  await runHere(['keys:rotate', '--signing'], env)
  await runHere(['keys:rotate', '--signing', '--finish'], env)
  await rm(join(keys, 'ledger.pub'))
  expect((await copy()).code).toBe(0)
  const rotated = (await readdir(keys)).filter((name) => name.endsWith('.pub'))
  for (const part of services) {
    expect((await readdir(join(parts, part))).sort()).toEqual(wanted(part, rotated))
  }
  const [own, copied] = [keys, join(parts, 'ledger')].map((at) =>
    readFileSync(join(at, 'ledger.key')),
  )
  expect(copied).toEqual(own)
  expect((await copy()).stdout).toContain('nothing is missing')
})

test('keys:create creates missing keys, for the owner alone, and replaces nothing', async () => {
  await using folder = await scratch()
  const env = { COFFER_KEYS_DIR: join(folder.path, 'keys') }
  const first = await runHere(['keys:create'], env)
  const made = [...signing, 'secrets.key'].sort()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout.trimEnd().split('\n').sort()).toEqual(
    made.map((name) => `made ${join(env.COFFER_KEYS_DIR, name)}`),
  )
  expect((await readdir(env.COFFER_KEYS_DIR)).sort()).toEqual(made)
  for (const name of made) {
    expect((await stat(join(env.COFFER_KEYS_DIR, name))).mode & 0o777).toBe(0o600)
  }
  const again = { code: 0, stdout: `nothing is missing in ${env.COFFER_KEYS_DIR}\n`, stderr: '' }
  expect(await runHere(['keys:create'], env)).toEqual(again)
})

test('keys:create creates nothing where a public key lacks its private key', async () => {
  await using folder = await scratch()
  const env = { COFFER_KEYS_DIR: folder.path }
  await runHere(['keys:create'], env)
  for (const name of ['secrets.key', 'gateway.key', 'gateway.pub', 'identity.key', 'ledger.key']) {
    await rm(join(folder.path, name))
  }
  const names = await readdir(folder.path)
  const { code, stdout, stderr } = await runHere(['keys:create'], env)
  expect([code, stdout]).toEqual([2, ''])
  const line = (name: string) =>
    `COFFER_KEYS_DIR: ${join(folder.path, name)}.pub is here without ${name}.key: ` +
    `bring that file back, or remove ${name}.pub here and wherever it was copied, ` +
    'and give the other processes the new one, since they trust it'
  expect(stderr.trimEnd().split('\n').sort()).toEqual([line('identity'), line('ledger')])
  expect(await readdir(folder.path)).toEqual(names)
})

test('keys:create creates no key file under Vault, and refuses a wrong --lost', async () => {
  await using folder = await scratch()
  const env = { COFFER_KEYS_DIR: folder.path, COFFER_KEY_SERVICE: 'vault' }
  const { code, stdout } = await runHere(['keys:create'], env)
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('no secrets.key: vault keeps the key'),
  ])
  expect((await readdir(folder.path)).sort()).toEqual(signing)
  const wrong = await runHere(['keys:create', '--lost', '../x'], env)
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--lost: \.\.\/x is not .+\n$/),
  })
})

test('a start without the keys of sealed secrets is refused, and creates no key', async () => {
  await using place = await deployment()
  const { env } = place
  const keys = join(env.COFFER_DATA_DIR ?? '', 'keys')
  const keyId = 'local:0123456789abcdef'
  await sealOne(place.databaseUrl, keyId)
  const line =
    `COFFER_KEYS_DIR: feed-sync holds secrets under the key ${keyId}, which is not in ${keys}: ` +
    `bring its file back, or, if it is lost for good, run "coffer keys:create --lost ${keyId}"\n`
  const refusal = { code: 2, stdout: '', stderr: line }
  expect(await runHere(['serve'], env)).toEqual(refusal)
  await expect(readdir(keys)).rejects.toThrow('ENOENT')
  // The created key has another ID: only the missing key can decrypt the secret of feed-sync.
  await runHere(['keys:create'], env)
  expect(await runHere(['keys:rotate'], env)).toEqual(refusal)
  const lost = await runHere(['keys:create', '--lost', keyId], env)
  expect(lost.stdout).toBe(`made ${join(keys, 'secrets-0123456789abcdef.lost')}\n`)
  const rotated = await runHere(['keys:rotate'], env)
  expect([rotated.code, rotated.stderr]).toEqual([0, ''])
  expect(rotated.stdout).toContain('feed-sync: 0 secrets')
})

test('a directory in place of a key file is refused in one line', async () => {
  await using place = await deployment()
  const path = join(place.env.COFFER_DATA_DIR ?? '', 'keys', 'identity.key')
  await mkdir(path, { recursive: true })
  const stderr = `COFFER_KEYS_DIR: ${path} is not a regular file\n`
  expect(await runHere(['serve'], place.env)).toEqual({ code: 2, stdout: '', stderr })
})

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), 'coffer-keys-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Stores a feed connection whose secret is encrypted under the key. */
async function sealOne(connectionString: string, keyId: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`
      INSERT INTO feed_sync.feed_links (account_id, feed_link_id, name, api_url, status, created_at,
        created_by, updated_at)
      VALUES ('acct_1', 'lfx_1', 'Home', 'https://feed.example', 'pending', now(), 'user_1',
        now())`)
    await client.query(
      `INSERT INTO feed_sync.feed_keys (account_id, feed_link_id, key_id, data_key, ciphertext)
      VALUES ('acct_1', 'lfx_1', $1, '', '')`,
      [keyId],
    )
  } finally {
    await client.end()
  }
}

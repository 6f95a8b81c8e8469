import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { feedSync } from '@coffer/feed-sync/service'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { hasFormerKeys, rotateSecrets } from '@coffer/host/secrets/key-rotation.service'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { createLocalKey, replaceLocalKey } from '@coffer/host/secrets/local-keys'
import { requireSealingKey } from '@coffer/host/secrets/sealing-key'
import { readSettings } from '@coffer/host/settings'
import { type Booted, boot } from '@coffer/host/testing/boot'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { type KeyKeeper, keeperSettings, startKeyKeeper } from '../providers/kms.ts'

// Environment variables from which the AWS SDK reads credentials. The simulated KMS accepts any.
Object.assign(process.env, {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
})

const owner = 'acct_1/lfx_1'
const url = 'https://feed.example.com'
const keysOf = (settings: Record<string, string>, folder: string) =>
  createKeyEncryption(readSettings(keySettings, settings), folder)

async function keysFolder() {
  const path = await mkdtemp(join(tmpdir(), 'coffer-keys-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe.each(['kms', 'vault'] as const)('%s', (kind) => {
  const settingsOf = ({ url: address }: KeyKeeper) => keeperSettings[kind](address)

  test('keeps the key: no process opens a secret without it', async () => {
    await using folder = await keysFolder()
    await using keeper = await startKeyKeeper()
    const sealed = await createSecrets(keysOf(settingsOf(keeper), folder.path)).seal('abc', owner)
    const restarted = createSecrets(keysOf(settingsOf(keeper), folder.path))
    expect(await restarted.open(sealed, owner)).toBe('abc')
    await using other = await startKeyKeeper()
    const elsewhere = createSecrets(keysOf(settingsOf(other), folder.path))
    await expect(elsewhere.open(sealed, owner)).rejects.toMatchObject({ code: Code.Unavailable })
  })

  test('is called once for many secrets, and once for a secret that is opened often', async () => {
    await using folder = await keysFolder()
    await using keeper = await startKeyKeeper()
    const keys = keysOf(settingsOf(keeper), folder.path)
    const secrets = createSecrets(keys)
    const sealed = await Promise.all(
      Array.from({ length: 500 }, (_, index) => secrets.seal(`secret ${index}`, owner)),
    )
    const asked = keeper.requests.length
    expect(asked).toBeLessThanOrEqual(1)
    const reader = createSecrets(keys)
    const texts = await Promise.all(sealed.map((one) => reader.open(one, owner)))
    expect(texts[499]).toBe('secret 499')
    expect(keeper.requests.length - asked).toBe(1)
  })

  test('that is away makes requests 503, except for cached data keys', async () => {
    await using folder = await keysFolder()
    await using keeper = await startKeyKeeper()
    const secrets = createSecrets(keysOf(settingsOf(keeper), folder.path))
    const sealed = await secrets.seal('abc', owner)
    await secrets.open(sealed, owner)
    keeper.fail(true)
    expect(await secrets.open(sealed, owner)).toBe('abc')
    expect(await secrets.seal('def', owner)).toMatchObject({ keyId: sealed.keyId })
    const fresh = createSecrets(keysOf(settingsOf(keeper), folder.path))
    for (const call of [fresh.seal('abc', owner), fresh.open(sealed, owner)]) {
      await expect(call).rejects.toMatchObject({ code: Code.Unavailable })
    }
    keeper.fail(false)
    expect(await fresh.open(sealed, owner)).toBe('abc')
  })

  test('replaces a key file while the service runs, also after a kill', async () => {
    await using keeper = await startKeyKeeper()
    await using booted = await boot([feedSync], { COFFER_FEED_ALLOWED_URLS: url })
    const accountId = newId('acct')
    await fill(booted, accountId, 40)
    const database = booted.database('feed-sync')
    const keys = keysOf(settingsOf(keeper), booted.keysFolder)
    // The rotation fails after ten secrets, as if its process were killed.
    const dying = { ...keys, wrap: failingAfter(10, keys.wrap) }
    await expect(rotateSecrets(database, dying)).rejects.toThrow('killed')
    expect(await hasFormerKeys(database, keys)).toBe(true)
    const [rest] = await Promise.all([rotateSecrets(database, keys), fill(booted, accountId, 20)])
    expect(rest).toBeGreaterThan(0)
    await rotateSecrets(database, keys)
    expect(await hasFormerKeys(database, keys)).toBe(false)
    await expectOpen(booted, createSecrets(keys), 60)
  })
})

test('a key that was rotated in Vault counts as a new one', async () => {
  await using keeper = await startKeyKeeper()
  await using booted = await boot([feedSync], {
    COFFER_FEED_ALLOWED_URLS: url,
    ...keeperSettings.vault(keeper.url),
  })
  await fill(booted, newId('acct'), 3)
  const keys = keysOf(keeperSettings.vault(keeper.url), booted.keysFolder)
  const database = booted.database('feed-sync')
  const start = (by: typeof keys) =>
    requireSealingKey([{ name: 'feed-sync', database }], by, booted.keysFolder)
  await start(keys)
  const unset = 'COFFER_KEY_SERVICE: feed-sync holds secrets under the key vault:transit/coffer:v1'
  await expect(start(keysOf({}, booted.keysFolder))).rejects.toThrow(unset)
  expect(await readdir(booted.keysFolder)).not.toContain('secrets.key')
  expect(await rotateSecrets(database, keys)).toBe(0)
  keeper.rotate()
  expect(await rotateSecrets(database, keys)).toBe(3)
  await expectOpen(booted, createSecrets(keys), 3)
})

test('a new key file takes effect without a restart; the former one can be deleted', async () => {
  await using booted = await boot([feedSync], { COFFER_FEED_ALLOWED_URLS: url })
  await fill(booted, newId('acct'), 30)
  const keys = keysOf({}, booted.keysFolder)
  const before = await keyIds(booted)
  const after = replaceLocalKey(booted.keysFolder)
  expect(before).not.toContain(after)
  expect(await rotateSecrets(booted.database('feed-sync'), keys)).toBe(30)
  expect(await keyIds(booted)).toEqual([after])
  await rm(join(booted.keysFolder, `secrets-${before[0]?.slice('local:'.length)}.key`))
  await expectOpen(booted, createSecrets(keys), 30)
  // If secrets are stored, a start without `secrets.key` fails instead of creating a key, even if
  // another key file decrypts them.
  const database = booted.database('feed-sync')
  const start = () => requireSealingKey([{ name: 'feed-sync', database }], keys, booted.keysFolder)
  await start()
  await rm(join(booted.keysFolder, 'secrets.key'))
  await expect(start()).rejects.toThrow('lacks secrets.key, which sealed secrets before')
  createLocalKey(booted.keysFolder)
  await start()
})

/** Creates feed links of an account, each with an API key of its own. */
async function fill(booted: Booted, accountId: string, count: number): Promise<void> {
  const { createFeedLink } = booted.client('feed-sync', FeedLinkService)
  for (let made = 0; made < count; made += 10) {
    await Promise.all(
      Array.from({ length: Math.min(10, count - made) }, () => {
        const link = { name: 'Feed', feedUrl: url, apiKey: 'feedKeyThatIsSealed' }
        return createFeedLink(link, booted.as(accountId))
      }),
    )
  }
  // Encrypts each row with a data key of its own, as rows written by different processes are.
  const keys = keysOf({}, booted.keysFolder)
  for (const { row, sealed } of await rows(booted)) {
    if (!sealed.keyId.startsWith('local:')) continue
    const text = await createSecrets(keys).open(sealed, row)
    const { keyId, dataKey, ciphertext } = await createSecrets(keys).seal(text, row)
    await booted.database('feed-sync').pool.query(sql.unsafe`
      UPDATE feed_keys SET key_id = ${keyId}, data_key = ${sql.binary(dataKey)},
        ciphertext = ${sql.binary(ciphertext)}
      WHERE account_id || '/' || feed_link_id = ${row}
        AND data_key = ${sql.binary(sealed.dataKey)}`)
  }
}

const Row = z.object({
  row: z.string(),
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

async function rows(booted: Booted): Promise<{ row: string; sealed: SealedSecret }[]> {
  const all = await booted.database('feed-sync').pool.any(sql.type(Row)`
    SELECT account_id || '/' || feed_link_id AS row, key_id AS "keyId", data_key AS "dataKey",
      ciphertext
    FROM feed_keys`)
  return all.map(({ row, ...sealed }) => ({ row, sealed }))
}

async function keyIds(booted: Booted): Promise<string[]> {
  return [...new Set((await rows(booted)).map(({ sealed }) => sealed.keyId))]
}

async function expectOpen(
  booted: Booted,
  secrets: ReturnType<typeof createSecrets>,
  count: number,
): Promise<void> {
  const all = await rows(booted)
  const texts = await Promise.all(all.map(({ row, sealed }) => secrets.open(sealed, row)))
  expect(texts).toEqual(Array.from({ length: count }, () => 'feedKeyThatIsSealed'))
}

function failingAfter<Args extends unknown[], Result>(
  times: number,
  call: (...args: Args) => Promise<Result>,
) {
  let calls = 0
  return (...args: Args): Promise<Result> => {
    calls += 1
    return calls > times ? Promise.reject(new Error('killed')) : call(...args)
  }
}

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { localKeyEncryption } from '@coffer/host/secrets/local-keys'
import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { generateSync } from 'otplib'
import pg from 'pg'
import { call, newPerson, type Person } from '../../harness/person.ts'
import { feedKey, fullSettings } from '../../mesh/full-account.ts'
import type { Interrupted, Killable } from './interrupted.ts'

const links = 60

/** Prepares a rotation of the encryption key, killed twice, and a restart without the old key. */
export async function prepareKeyRotation({ deployment, stack }: Killable): Promise<Interrupted> {
  const keysFolder = join(deployment.dataDir, 'keys')
  const person = await newPerson(deployment.baseUrl)
  const seed = await enableAuthenticator(person)
  await createFeedLinks(person)
  const secrets = stack.use(await openSealed(deployment.databaseUrl, keysFolder))
  await secrets.sealApart()
  const [former = ''] = await secrets.keyIds()
  return {
    act: async () => {
      for (const third of [0, 1]) {
        const held = await secrets.hold(third)
        await deployment.runUntil(held.untilAwaited, 'keys:rotate')
        await held.release()
        expect((await secrets.keyIds()).length).toBe(2)
        expect(await secrets.open()).toEqual(Array.from({ length: links }, () => feedKey))
      }
      const finished = await deployment.run('keys:rotate')
      expect([finished.code, finished.output]).toEqual([
        0,
        expect.not.stringContaining('new key local:'),
      ])
      const [inUse, ...others] = await secrets.keyIds()
      expect([inUse === former, others]).toEqual([false, []])
    },
    whileDown: async () => {
      // Deletes the old key: the rotated secrets can be decrypted without it.
      await rm(join(keysFolder, `${former.replace('local:', 'secrets-')}.key`))
      const kept = (await readdir(keysFolder)).filter((name) => name.startsWith('secrets'))
      expect(kept.length).toBe(2)
      expect(await secrets.open()).toEqual(Array.from({ length: links }, () => feedKey))
    },
    afterRestart: async () => {
      expect(await signIn(deployment.baseUrl, person, seed)).toBe(200)
    },
  }
}

/** Enables an authenticator app for the person's login. Returns its secret seed. */
async function enableAuthenticator(person: Person): Promise<string> {
  const { body } = await person.call('POST', '/users/security/totp/setup', { asSession: true })
  const secret = new URL(body.uri).searchParams.get('secret') ?? ''
  // The code of the previous time step of 30 s: no code is accepted twice, and sign-in uses the
  // current one.
  const totp = generateSync({ secret, epoch: Math.floor(Date.now() / 1000) - 30 })
  const code = { body: { totp }, asSession: true }
  expect((await person.call('POST', '/users/security/totp/confirm', code)).status).toBe(200)
  return secret
}

/** Signs in with the password, then a TOTP code. Returns the HTTP status of the second step. */
async function signIn(
  baseUrl: string,
  { email, password }: Person,
  secret: string,
): Promise<number> {
  const owed = await call(baseUrl, 'POST', '/authentication/login', { body: { email, password } })
  const cookie = owed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const code = { headers: { cookie }, body: { totp: generateSync({ secret }) } }
  return (await call(baseUrl, 'POST', '/authentication/multifactor', code)).status
}

async function createFeedLinks(person: Person): Promise<void> {
  const feedURL = fullSettings.COFFER_FEED_ALLOWED_URLS
  for (let made = 0; made < links; made += 10) {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        person.post('/feed/link', { name: 'Feed', feedURL, apiKey: feedKey }),
      ),
    )
  }
}

interface SealedRow {
  id: string
  owner: string
  keyId: string
  dataKey: Buffer
  ciphertext: Buffer
}

/** Returns functions that read, re-encrypt and lock the encrypted feed API keys in the database. */
async function openSealed(databaseUrl: string, keysFolder: string) {
  const stack = new AsyncDisposableStack()
  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    stack.defer(() => client.end())
    return client
  }
  const client = await connect()
  const holder = await connect()
  const rows = async () =>
    (
      await client.query<SealedRow>(`
        SELECT feed_link_id AS id, account_id || '/' || feed_link_id AS owner, key_id AS "keyId",
          data_key AS "dataKey", ciphertext
        FROM feed_sync.feed_keys ORDER BY feed_link_id`)
    ).rows
  const open = async () => {
    // Without cache: a new instance must decrypt each data key.
    const secrets = createSecrets(localKeyEncryption(keysFolder))
    return Promise.all((await rows()).map(({ owner, ...sealed }) => secrets.open(sealed, owner)))
  }
  return {
    open,
    keyIds: async () => [...new Set((await rows()).map(({ keyId }) => keyId))],
    /** Encrypts each row with a data key of its own, as rows written by different processes are. */
    sealApart: async () => {
      const texts = await open()
      for (const [index, { id, owner }] of (await rows()).entries()) {
        const secrets = createSecrets(localKeyEncryption(keysFolder))
        const sealed = await secrets.seal(texts[index] ?? '', owner)
        await client.query(
          'UPDATE feed_sync.feed_keys SET data_key = $2, ciphertext = $3 WHERE feed_link_id = $1',
          [id, sealed.dataKey, sealed.ciphertext],
        )
      }
    },
    /** Locks a third of the rows (index modulo 3 equals `third`) until `release` is called. */
    hold: async (third: number) => {
      const held = (await rows()).filter((_, index) => index % 3 === third)
      await holder.query('BEGIN')
      await holder.query(
        'SELECT FROM feed_sync.feed_keys WHERE feed_link_id = ANY($1) FOR UPDATE',
        [held.map(({ id }) => id)],
      )
      const waiting = `
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      const isSo = async () =>
        (await client.query(waiting)).rowCount !== 0 &&
        new Set((await rows()).map(({ keyId }) => keyId)).size > 1
      return {
        untilAwaited: async () => void (await eventually(isSo, Boolean, 60_000)),
        release: () => holder.query('ROLLBACK'),
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'
import { runCommand } from './command.ts'

let place: Awaited<ReturnType<typeof deployment>>
let database: pg.Client

beforeAll(async () => {
  place = await deployment()
  database = new pg.Client({ connectionString: place.env.COFFER_DATABASE_URL })
  await database.connect()
  await database.query(`
    INSERT INTO identity.logins
      (login_id, email, password_hash, first_name, last_name, created_at, disabled_at)
    VALUES ('lgn_1', 'ann@example.com', '', 'Ann', '', now(), NULL),
      ('lgn_2', 'bob@example.com', '', 'Bob', '', now(), now()),
      ('lgn_3', 'eve@example.com', '', 'Eve', '', now(), NULL)`)
})

afterAll(async () => {
  await database.end()
  await place[Symbol.asyncDispose]()
})

test('a reset prints one link, and stores the hash of its token', async () => {
  const settings = { COFFER_EXTERNAL_URL: 'https://coffer.example/app/' }
  const env = { ...place.env, ...settings, COFFER_RESET_LINK_MINUTES: '180' }
  const { code, stdout } = await runCommand(
    ['login:reset-password', '--email', 'Ann@example.com'],
    env,
  )
  expect(code).toBe(0)
  const link = /^https:\/\/coffer\.example\/app\/password\/reset\?token=([a-z2-7]{52})\n$/
  const [, token = ''] = link.exec(stdout) ?? []
  const { rows } = await database.query(
    `SELECT token_hash, expires_at > now() + '2 hours' AS long FROM identity.link_tokens
     WHERE login_id = 'lgn_1'`,
  )
  expect(rows).toEqual([{ token_hash: createHash('sha256').update(token).digest(), long: true }])
})

test.each([
  ['login:reset-password', 'zoe@example.com', 'No login has the address zoe@example.com.'],
  ['login:reset-password', 'bob@example.com', 'bob@example.com is disabled: run "coffer login:en'],
  ['login:reset-second-factor', 'zoe@example.com', 'No login has the address zoe@example.com.'],
  ['login:disable', 'zoe@example.com', 'No login has the address zoe@example.com.'],
  ['login:enable', 'zoe@example.com', 'No login has the address zoe@example.com.'],
  ['login:expire-password', 'zoe@example.com', 'No login has the address'],
  ['login:end-sessions', 'zoe@example.com', 'No login has the address'],
])('%s %s is one line, and exits with 1', async (command, email, line) => {
  const { code, stdout, stderr } = await runHere([command, '--email', email], place.env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('a command without an address is refused', async () => {
  const { code, stderr } = await runHere(['login:disable'], place.env)
  expect(code).toBe(2)
  expect(stderr).toContain("required option '--email <address>' not specified")
})

test('a login can be disabled, twice too', async () => {
  for (const _ of [1, 2]) {
    const outcome = await runHere(['login:disable', '--email', 'eve@example.com'], place.env)
    expect(outcome).toMatchObject({ code: 0, stdout: 'eve@example.com is disabled\n' })
  }
  const { rows } = await database.query(
    "SELECT login_id FROM identity.logins WHERE disabled_at IS NULL AND login_id LIKE 'lgn__'",
  )
  expect(rows).toEqual([{ login_id: 'lgn_1' }])
})

test('a disabled login can be enabled again', async () => {
  const outcome = await runHere(['login:enable', '--email', 'bob@example.com'], place.env)
  expect(outcome).toMatchObject({ code: 0, stdout: 'bob@example.com is enabled\n' })
  const { rows } = await database.query(
    "SELECT disabled_at FROM identity.logins WHERE login_id = 'lgn_2'",
  )
  expect(rows).toEqual([{ disabled_at: null }])
})

test('sessions of one login or of all can be ended', async () => {
  await database.query(`
    INSERT INTO identity.accounts (account_id, timezone, locale, version, created_at)
    SELECT id, 'UTC', 'en_US', 1, now() FROM unnest(ARRAY['acct_1', 'acct_2']) AS id;
    INSERT INTO identity.users (account_id, user_id, login_id, role, created_at)
    VALUES ('acct_1', 'user_1', 'lgn_1', 'owner', now()),
      ('acct_2', 'user_2', 'lgn_2', 'owner', now());
    INSERT INTO identity.sessions
      (account_id, user_id, session_id, token_hash, is_pending, created_at, last_used_at,
        expires_at)
    SELECT account_id, user_id, 'sess_' || right(user_id, 1), user_id::bytea, false, now(), now(),
      now() FROM identity.users`)
  const left = async () => (await database.query('SELECT session_id FROM identity.sessions')).rows
  const end = (...which: string[]) => runHere(['login:end-sessions', ...which], place.env)
  expect(await end()).toMatchObject({ code: 1, stderr: 'Give either --email or --all.\n' })
  expect(await end('--email', 'ann@example.com', '--all')).toMatchObject({ code: 1 })
  expect(await end('--email', 'Ann@example.com')).toMatchObject({ code: 0 })
  expect(await left()).toEqual([{ session_id: 'sess_2' }])
  expect(await end('--all')).toMatchObject({
    code: 0,
    stdout: 'every login has to sign in again\n',
  })
  expect(await left()).toEqual([])
})

test('a second factor is removed, with its codes and counters', async () => {
  await database.query(`
    INSERT INTO identity.authenticators
      (login_id, key_id, data_key, ciphertext, created_at, enabled_at)
    VALUES ('lgn_1', 'k', '', '', now(), now());
    INSERT INTO identity.recovery_codes VALUES ('lgn_1', 'code');
    INSERT INTO identity.code_attempts VALUES ('lgn_1', 'sign-in', 100, 6, now())`)
  const run = () => runHere(['login:reset-second-factor', '--email', 'Ann@example.com'], place.env)
  const { code, stdout } = await run()
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Ann@example.com signs in by the password alone\n',
  })
  const { rows } = await database.query(`
    SELECT login_id FROM identity.authenticators UNION ALL
    SELECT login_id FROM identity.recovery_codes UNION ALL
    SELECT login_id FROM identity.code_attempts`)
  expect(rows).toEqual([])
  expect((await run()).stdout).toBe('Ann@example.com has no second factor\n')
})

test('a password can be expired', async () => {
  const command = ['login:expire-password', '--email', 'ann@example.com']
  expect(await runHere(command, place.env)).toMatchObject({ code: 0 })
  const { rows } = await database.query(
    "SELECT is_password_expired FROM identity.logins WHERE login_id = 'lgn_1'",
  )
  expect(rows).toEqual([{ is_password_expired: true }])
})

const amy = ['user:create', '--email', 'Amy@example.com', '--first-name', 'Amy']

test('a user is created while sign-up is off, and a link sets the password', async () => {
  const settings = ['--last-name', 'Lee', '--timezone', 'US/Central', '--locale', 'de_DE']
  const env = { ...place.env, COFFER_ALLOW_SIGN_UP: 'false' }
  const { code, stdout, stderr } = await runHere([...amy, ...settings], env)
  expect(code).toBe(0)
  expect(stderr).toMatch(/^Works once, until .*\nAccount acct_\w+\.\n$/)
  const link = /^http:\/\/127\.0\.0\.1:\d+\/password\/reset\?token=(\w{52})\n$/
  const [, token = ''] = link.exec(stdout) ?? []
  const { rows } = await database.query(`
    SELECT email, first_name, last_name, role, timezone, locale, token_hash, verify_by,
      email_verified_at IS NOT NULL AS verified, expires_at > now() + '23 hours' AS long,
      (SELECT string_agg(type, ' ' ORDER BY type) FROM identity.changes
        WHERE account_id = a.account_id) AS changes
    FROM identity.logins JOIN identity.users USING (login_id)
    JOIN identity.accounts a USING (account_id) JOIN identity.link_tokens USING (login_id)
    WHERE email = 'amy@example.com'`)
  expect(rows).toEqual([
    {
      email: 'amy@example.com',
      first_name: 'Amy',
      last_name: 'Lee',
      role: 'owner',
      timezone: 'America/Chicago',
      locale: 'de_DE',
      token_hash: createHash('sha256').update(token).digest(),
      verify_by: null,
      verified: true,
      long: true,
      changes: 'coffer.identity.v1.AccountSettingsChanged coffer.identity.v1.ObjectsChanged',
    },
  ])
})

test.each([
  [amy, 'A login has the address Amy@example.com already.'],
  [[...amy, '--timezone', 'Middle/Earth'], '--timezone: must be an IANA timezone.'],
  [[...amy, '--locale', 'elvish'], '--locale: must be a language and a country, such as de_DE.'],
  [
    ['user:create', '--email', 'amy', '--first-name', ''],
    '--email: must be a valid email address; --first-name: first name is required.',
  ],
])('no user is created by %j', async (command, line) => {
  const { code, stdout, stderr } = await runHere(command, place.env)
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${line}\n` })
})

test('a beta code is printed alone, and stored as its hash', async () => {
  const { code, stdout, stderr } = await runHere(['beta:new-code'], place.env)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[\dA-F]{8}-[\dA-F]{8}\n$/),
  })
  expect(stderr).toContain('Works once, until ')
  const { rows } = await database.query('SELECT code_hash FROM identity.beta_codes')
  const hash = createHash('sha256').update(stdout.trim().toLowerCase()).digest()
  expect(rows).toEqual([{ code_hash: hash }])
})

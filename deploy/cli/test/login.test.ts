import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
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

test('a reset is one link on standard output, with a token stored as its hash', async () => {
  const env = { ...place.env, COFFER_EXTERNAL_URL: 'https://coffer.example/app/' }
  const { code, stdout } = await runCommand(
    ['login:reset-password', '--email', 'Ann@example.com'],
    env,
  )
  expect(code).toBe(0)
  const link = /^https:\/\/coffer\.example\/app\/password\/reset\?token=([a-z2-7]{52})\n$/
  const [, token = ''] = link.exec(stdout) ?? []
  const { rows } = await database.query(
    "SELECT token_hash FROM identity.link_tokens WHERE login_id = 'lgn_1'",
  )
  expect(rows).toEqual([{ token_hash: createHash('sha256').update(token).digest() }])
})

test.each([
  ['login:reset-password', 'nobody@example.com', 'No login has the address nobody@example.com.'],
  ['login:reset-password', 'bob@example.com', 'bob@example.com is disabled: a new password'],
  ['login:disable', 'nobody@example.com', 'No login has the address nobody@example.com.'],
  ['login:enable', 'nobody@example.com', 'No login has the address nobody@example.com.'],
  ['login:expire-password', 'nobody@example.com', 'No login has the address'],
])('%s %s is one line, and exits with 1', async (command, email, line) => {
  const { code, stdout, stderr } = await runCommand([command, '--email', email], place.env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('without an address nothing is done', async () => {
  const { code, stderr } = await runCommand(['login:disable'], place.env)
  expect(code).toBe(2)
  expect(stderr).toContain("required option '--email <address>' not specified")
})

test('a login can be disabled, twice too', async () => {
  for (const _ of [1, 2]) {
    const outcome = await runCommand(['login:disable', '--email', 'eve@example.com'], place.env)
    expect(outcome).toMatchObject({ code: 0, stdout: 'eve@example.com is disabled\n' })
  }
  const { rows } = await database.query(
    "SELECT login_id FROM identity.logins WHERE disabled_at IS NULL AND login_id LIKE 'lgn__'",
  )
  expect(rows).toEqual([{ login_id: 'lgn_1' }])
})

test('a disabled login can be enabled again', async () => {
  const outcome = await runCommand(['login:enable', '--email', 'bob@example.com'], place.env)
  expect(outcome).toMatchObject({ code: 0, stdout: 'bob@example.com is enabled\n' })
  const { rows } = await database.query(
    "SELECT disabled_at FROM identity.logins WHERE login_id = 'lgn_2'",
  )
  expect(rows).toEqual([{ disabled_at: null }])
})

test('a password can be expired', async () => {
  const command = ['login:expire-password', '--email', 'ann@example.com']
  expect(await runCommand(command, place.env)).toMatchObject({ code: 0 })
  const { rows } = await database.query(
    "SELECT is_password_expired FROM identity.logins WHERE login_id = 'lgn_1'",
  )
  expect(rows).toEqual([{ is_password_expired: true }])
})

test('a beta code is printed alone, and stored as its hash', async () => {
  const { code, stdout, stderr } = await runCommand(['beta:new-code'], place.env)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[\dA-F]{8}-[\dA-F]{8}\n$/),
  })
  expect(stderr).toContain('Works once, until ')
  const { rows } = await database.query('SELECT code_hash FROM identity.beta_codes')
  const hash = createHash('sha256').update(stdout.trim().toLowerCase()).digest()
  expect(rows).toEqual([{ code_hash: hash }])
})

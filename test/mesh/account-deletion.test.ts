import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@coffer/kit/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call, type Person } from '../harness/person.ts'
import { type StripeSimulator, startStripe } from '../providers/stripe.ts'
import { fullHousehold, fullSettings } from './full-household.ts'
import { rowsOf } from './rows-of-account.ts'

// Every service, with its workers.
const bootMs = 120_000

let stripe: StripeSimulator
let coffer: Coffer

beforeAll(async () => {
  stripe = await startStripe()
  coffer = await startCoffer({ ...stripe.settings, ...fullSettings })
}, bootMs)

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await stripe[Symbol.asyncDispose]()
})

const asSession = { asSession: true }

function deletes(person: Person, body: object = { currentPassword: person.password }) {
  return person.call('DELETE', '/users/me', { ...asSession, body })
}

test('a deleted account leaves no row in any table, no file and no customer', async () => {
  const [person, neighbour] = [
    await fullHousehold(coffer, stripe),
    await fullHousehold(coffer, stripe),
  ]
  const { databaseUrl } = coffer.booted
  const before = await rowsOf(databaseUrl, person)
  const some = ['identity.logins', 'ledger.journal', 'ledger.files', 'ledger.envelopes']
  const others = ['budgeting.spending', 'budgeting.funding_schedules', 'feed_sync.feed_keys']
  expect(Object.keys(before)).toEqual(expect.arrayContaining([...some, ...others]))
  const settled = async () => ({
    ...(await rowsOf(databaseUrl, neighbour)),
    // Changes of an account may still be recorded by jobs of its own.
    ...{ 'ledger.changes': 0, 'ledger.change_sequences': 0, 'ledger.transaction_clusters': 0 },
  })
  const kept = await settled()
  expect((await deletes(person)).status).toBe(200)
  const left = await eventually(
    () => rowsOf(databaseUrl, person),
    (rows) => Object.keys(rows).length <= 6,
    60_000,
  )
  // Tombstones, and the deletion itself until nothing late can come in any more.
  const tombstones = ['aggregator_sync', 'budgeting', 'feed_sync', 'identity', 'ledger'].map(
    (schema) => [`${schema}.deleted_accounts`, 1],
  )
  expect(left).toEqual({ ...Object.fromEntries(tombstones), 'identity.account_deletions': 1 })
  expect(await settled()).toEqual(kept)
  expect(stripe.customers().map(({ email }) => email)).not.toContain(person.email)
  const files = await readdir(join(coffer.dataDir, 'files'), { recursive: true })
  expect(files.filter((file) => file.includes(person.accountId))).toEqual([])
}, 90_000)

test('from the answer on, sessions, keys and the password are refused', async () => {
  const person = await coffer.person()
  expect((await deletes(person)).status).toBe(200)
  expect((await person.call('GET', '/links')).status).toBe(401)
  expect((await person.call('GET', '/users/me', asSession)).status).toBe(401)
  const credentials = { email: person.email, password: person.password }
  const login = await call(coffer.baseUrl, 'POST', '/authentication/login', { body: credentials })
  expect(login.status).toBe(401)
})

test.each([
  ['a wrong password', { currentPassword: 'not this one' }, 401],
  ['a code where there is no authenticator', { totp: '123456' }, 401],
  ['nothing', {}, 400],
])('by %s nothing is deleted', async (_, body, status) => {
  const person = await coffer.person()
  expect((await deletes(person, body)).status).toBe(status)
  expect((await person.call('GET', '/users/me', asSession)).status).toBe(200)
})

test('a key cannot delete the account', async () => {
  const person = await coffer.person()
  const body = { currentPassword: person.password }
  expect((await person.call('DELETE', '/users/me', { body })).status).toBe(401)
})

test('the address may be registered again once all is gone', async () => {
  const person = await coffer.person()
  await deletes(person)
  await eventually(
    () => rowsOf(coffer.booted.databaseUrl, person),
    (rows) => rows['identity.logins'] === undefined,
    60_000,
  )
  const { email, password, accountId } = person
  const registration = { body: { email, password, firstName: 'Pat' } }
  const again = await call(coffer.baseUrl, 'POST', '/authentication/register', registration)
  expect([again.status, again.body.user.accountId !== accountId]).toEqual([200, true])
}, 90_000)

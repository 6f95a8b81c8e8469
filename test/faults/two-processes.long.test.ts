import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import pg from 'pg'
import { createGoal } from '../harness/goal.ts'
import { redeliver } from '../harness/messages.ts'
import { call, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { faults } from '../providers/feed-faults.ts'
import { type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'
import { prepareAccount } from './linked-account.ts'

const stack = new AsyncDisposableStack()
let provider: LunchFlow
let reader: pg.Client
let deployment: Deployment
let beside: { baseUrl: string }

/** Attempts of a network in a minute; the tests sign up fewer people. */
const attemptsMax = 20

beforeAll(async () => {
  provider = stack.use(await startLunchFlow())
  deployment = stack.use(
    await deploy({
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: String(attemptsMax),
      COFFER_TRUSTED_PROXIES: '127.0.0.1',
      COFFER_FEED_ENABLED: 'true',
      COFFER_FEED_ALLOWED_URLS: provider.url,
    }),
  )
  reader = new pg.Client({ connectionString: deployment.databaseUrl })
  await reader.connect()
  stack.defer(() => reader.end())
  ;[, beside] = await Promise.all([deployment.start(), deployment.startBeside()])
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Time in ms for which a process accepts a credential from its cache. */
const cachedMs = 1_000

/** Number of client connections to each of the two processes. */
const connections = 16
const postsEach = 10

const asSession = { asSession: true }
const newPassword = 'another long password'

test('two processes write to one bank account, and no cent is lost or created', async () => {
  const person = await newPerson(deployment.baseUrl)
  const { path, spendingId } = await createGoal(person, 50_000)
  const { authorization } = person
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const connection = async (baseUrl: string, count: number) => {
    const answers: number[] = []
    for (let sent = 0; sent < count; sent += 1) {
      const options = { body: { ...body, spendingId }, headers: { authorization } }
      answers.push((await call(baseUrl, 'POST', `${path}/transactions`, options)).status)
    }
    return answers
  }
  const lines = [deployment.baseUrl, beside.baseUrl].flatMap((baseUrl) =>
    Array.from({ length: connections }, () => connection(baseUrl, postsEach)),
  )
  const statuses = (await Promise.all(lines)).flat()
  expect(new Set(statuses)).toEqual(new Set([200]))
  const left = 50_000 - statuses.length
  expect(await person.get(`${path}/balances`)).toMatchObject({
    available: 100_000 - statuses.length,
    goals: left,
    free: 50_000,
  })
  expect(await person.get(`${path}/spending`)).toMatchObject([
    { currentAmount: left, usedAmount: statuses.length },
  ])
  await runCommand('audit')
})

test('two requests and a repeated event: one sync at a time', async () => {
  const person = await newPerson(deployment.baseUrl)
  const prepare = (feedId: string) =>
    prepareAccount({ provider, reader }, { person, feedId, added: 3 })
  const [link, other] = await Promise.all([prepare('1'), prepare('2')])
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const [transactions, balance] = ['transactions?include_pending=true', 'balance'].map(
    (path) => `/accounts/${link.feedId}/${path}`,
  )
  const isOfLink = (path: string) => path === transactions || path === balance
  const from = provider.requests.length
  const requests = () => provider.requests.slice(from).filter(isOfLink)
  provider.fault(new RegExp(`/${link.feedId}/transactions`), faults.hold(promise), 1)
  const statuses = await Promise.all([link.ask(), link.ask()])
  expect(statuses.toSorted()).toEqual([202, 425])
  await eventually(async () => requests().length, Boolean)
  const since = new Date()
  expect(await deployment.run('sync', link.linkId, '--no-wait')).toMatchObject({ code: 0 })
  const { prefix } = deployment
  expect(await redeliver(prefix, 'feed-sync-requested')).toBeGreaterThan(0)
  // A second sync of the link would begin before one of another link, requested later, has ended.
  await other.begin()
  await other.untilSynced(since)
  expect(requests()).toEqual([transactions])
  answer()
  await eventually(
    async () => requests().length,
    (count) => count === 5,
  )
  await link.untilSynced(since)
  const first = [transactions, transactions, balance]
  expect(requests()).toEqual([...first, transactions, balance])
  expect(provider.overlaps).toEqual([])
  await link.expectSynced()
})

test('a network has the attempts of one gateway at both', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  const body = { token: 'unknown', password: newPassword }
  const attempt = (baseUrl: string) =>
    call(baseUrl, 'POST', '/authentication/reset', { body, headers })
  const urls = Array.from({ length: attemptsMax }, () => [deployment.baseUrl, beside.baseUrl])
  const answers = await Promise.all(urls.flat().map(attempt))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(attemptsMax)
  const elsewhere = { body, headers: { 'x-forwarded-for': '192.0.2.2' } }
  const other = await call(beside.baseUrl, 'POST', '/authentication/reset', elsewhere)
  expect(other.status).not.toBe(429)
})

type End = (person: Person, cookie: string) => Promise<unknown>

const ends: [string, End, { ofKeys: boolean }][] = [
  ['logout', (_, cookie) => here('GET', '/authentication/logout', cookie), { ofKeys: false }],
  [
    'being ended',
    (p) => p.call('DELETE', '/users/security/sessions', asSession),
    { ofKeys: false },
  ],
  ['a change of the password', changePassword, { ofKeys: false }],
  ['a reset of the password', resetPassword, { ofKeys: false }],
  ['an authenticator', enableAuthenticator, { ofKeys: false }],
  ['disabling', ({ email }) => runCommand('login:disable', '--email', email), { ofKeys: true }],
  ['deletion', deleteAccount, { ofKeys: true }],
]

test('each end of a session has effect in another process within a second', async () => {
  // At once, because each of them waits.
  const found = await Promise.all(ends.map(([, end]) => statusesAfter(end)))
  const expected = ends.map(([name, , { ofKeys }]) => [name, [401, ofKeys ? 401 : 200]])
  expect(ends.map(([name], index) => [name, found[index]])).toEqual(expected)
})

/** Returns how the other process answers the session and the API key of a person after an end. */
async function statusesAfter(end: End): Promise<number[]> {
  const person = await newPerson(deployment.baseUrl)
  const { email, password, authorization } = person
  const credentials = { body: { email, password } }
  const signedIn = await call(beside.baseUrl, 'POST', '/authentication/login', credentials)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const statuses = async () => [
    (await call(beside.baseUrl, 'GET', '/links', { headers: { cookie } })).status,
    (await call(beside.baseUrl, 'GET', '/links', { headers: { authorization } })).status,
  ]
  expect(await statuses()).toEqual([200, 200])
  await Promise.all([end(person, cookie), keepAsking(statuses)])
  await sleep(cachedMs)
  return statuses()
}

/** Repeats a request while its credential is revoked, so that the process has it in the cache. */
async function keepAsking(ask: () => Promise<unknown>): Promise<void> {
  for (let asked = 0; asked < 20; asked += 1) {
    await ask()
    await sleep(50)
  }
}

function here(method: string, path: string, cookie: string) {
  return call(deployment.baseUrl, method, path, { headers: { cookie } })
}

async function runCommand(...words: string[]): Promise<string> {
  const { code, output } = await deployment.run(...words)
  expect(code).toBe(0)
  return output
}

async function changePassword(person: Person): Promise<void> {
  const body = { currentPassword: person.password, newPassword }
  const changed = await person.call('PUT', '/users/security/password', { body, ...asSession })
  expect(changed.status).toBe(200)
}

async function resetPassword({ email }: Person): Promise<void> {
  const [, token] =
    /token=(\w+)/.exec(await runCommand('login:reset-password', '--email', email)) ?? []
  const body = { token, password: newPassword }
  const reset = await call(deployment.baseUrl, 'POST', '/authentication/reset', { body })
  expect(reset.status).toBe(200)
}

async function enableAuthenticator(person: Person): Promise<void> {
  const { body } = await person.call('POST', '/users/security/totp/setup', asSession)
  const secret = new URL(body.uri).searchParams.get('secret') ?? ''
  const code = { body: { totp: generateSync({ secret }) }, ...asSession }
  expect((await person.call('POST', '/users/security/totp/confirm', code)).status).toBe(200)
}

async function deleteAccount(person: Person): Promise<void> {
  const reauthentication = { body: { currentPassword: person.password }, ...asSession }
  expect((await person.call('DELETE', '/users/me', reauthentication)).status).toBe(200)
}

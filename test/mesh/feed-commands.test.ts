import { once } from 'node:events'
import { runHere } from '@coffer/cli/testing/run-here'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import { startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { faults } from '../providers/feed-faults.ts'
import { feedAccount, startLunchFlow } from '../providers/lunch-flow.ts'

let alice: Person

const provider = started(() => startLunchFlow())
const coffer = started(() =>
  startCoffer({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: provider.url,
  }),
)

beforeAll(async () => {
  alice = await coffer.person()
})

/** Runs a command against the server, with Alice's API key. */
function run(...args: string[]) {
  const pair = Buffer.from(alice.authorization.replace('Basic ', ''), 'base64').toString()
  const server = ['--server', `${coffer.baseUrl}/`, '--api-key', pair]
  return runHere([...args, ...server], { COFFER_DATA_DIR: coffer.dataDir })
}

const link = (key = provider.apiKey) => run('feed:link', '--url', provider.url, '--key', key)

test('feed:link links the active bank accounts of a provider, and prints what to do', async () => {
  provider.accounts.push(
    feedAccount(1, { name: 'Daily', balance: '-7.5' }),
    feedAccount(2, { status: 'DISCONNECTED' }),
    feedAccount(3, { name: 'Savings', currency: 'JPY', balance: '900' }),
  )
  const { code, stdout, stderr } = await link()
  expect([code, stderr]).toEqual([0, ''])
  const [, linkId = ''] = /^Link +(link_\S+) {3}My banks$/m.exec(stdout) ?? []
  const accounts = await alice.get(`/bank_accounts?link_id=${linkId}`)
  expect(accounts).toMatchObject([
    { name: 'Daily', currency: 'USD', currentBalance: -750, availableBalance: -750 },
    { name: 'Savings', currency: 'JPY', currentBalance: 900, availableBalance: 900 },
  ])
  for (const { bankAccountId, name } of accounts) {
    expect(stdout).toContain(`Bank account   ${bankAccountId}   ${name}\n`)
  }
  expect(stdout).toContain(`npm run coffer -- feed:watch ${linkId}\n`)
  expect(stdout).toContain(`-d '{"linkId":"${linkId}"}'\n`)
})

test('feed:link names what the provider or the server refuses, on one line', async () => {
  const refused = await link('aWrongKey')
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toBe(
    'The bank accounts of the feed could not be read: the feed provider refused the API key: ' +
      '{"error":"Forbidden","message":"no such key: ***"}. ' +
      'Check --url and --key at the provider, then run the command again.\n',
  )
  const odd = await link('with-dashes')
  expect([odd.code, odd.stderr]).toEqual([
    1,
    'The feed link could not be created: Invalid request ' +
      '(apiKey: must be 1 to 100 letters and digits).\n',
  ])
  provider.accounts.splice(0)
  const empty = await link()
  expect([empty.code, empty.stderr]).toEqual([1, 'The feed provider offers no bank account.\n'])
  const away = ['--url', 'https://elsewhere.example', '--key', 'k']
  const { code, stderr } = await run('feed:link', ...away)
  expect([code, stderr]).toEqual([
    1,
    'The feed link could not be created: feedURL is not one of the provider URLs this ' +
      'server allows: its operator adds it to COFFER_FEED_ALLOWED_URLS.\n',
  ])
})

test('the commands name the API key that they lack, and an unknown link', async () => {
  const settings = { COFFER_DATA_DIR: coffer.dataDir }
  const { code, stderr } = await runHere(['feed:watch', 'link_1'], settings)
  expect([code, stderr]).toEqual([
    1,
    'No API key: give one with --api-key, or load "coffer demo".\n',
  ])
  const wrongKey = ['--server', coffer.baseUrl, '--api-key', 'key_1:wrong']
  const keyless = await runHere(['feed:watch', 'link_1', ...wrongKey], settings)
  expect([keyless.code, keyless.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The link link_1 cannot .+ Give an API key of Coffer with --api-key\.\n$/,
    ),
  ])
  const unknownId = newId('link')
  const unknown = await run('feed:watch', unknownId)
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `The link ${unknownId} cannot be watched: link: record does not exist. ` +
      'GET /api/links lists the links.\n',
  ])
})

/** Links one bank account of the provider; returns the IDs of the link and the bank account. */
async function linkOne() {
  provider.accounts.splice(0, provider.accounts.length, feedAccount(1, { name: 'Daily' }))
  const { stdout } = await link()
  const [linkId = '', bankAccountId = ''] = stdout.match(/\b(link|bac)_\w+/g) ?? []
  return { linkId, bankAccountId }
}

/** Asks for a sync of the link. */
async function sync(linkId: string): Promise<void> {
  expect((await alice.call('POST', '/feed/link/sync', { body: { linkId } })).status).toBe(202)
}

test('feed:watch ends with a sync, and at once when none runs or waits', async () => {
  const { linkId } = await linkOne()
  await sync(linkId)
  await eventually(
    () => alice.get(`/links/${linkId}/health`),
    ({ isSyncing, lastSuccess }) => !isSyncing && lastSuccess !== null,
  )
  const ended = await run('feed:watch', linkId)
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(ended.stdout).toMatch(/^Daily {2}synced at \S+Z\nThe last successful sync: added 0, /)
  expect(ended.stdout).toMatch(/\nThe next sync is due: 2\S+Z\n$/)
})

test('feed:watch shows the frames of a sync that runs, and its fault', async () => {
  const { linkId } = await linkOne()
  const held = Promise.withResolvers<void>()
  provider.fault(/transactions/, { kind: 'hold', until: held.promise }, 1)
  provider.fault(/transactions/, faults.refusedKey())
  await sync(linkId)
  const watching = run('feed:watch', linkId)
  const path = `/links/${linkId}/health`
  await eventually(
    () => alice.get(path),
    ({ isSyncing }) => isSyncing,
  )
  provider.fault(/transactions/, null)
  provider.fault(/balance/, faults.refusedKey())
  held.resolve()
  const { code, stdout, stderr } = await watching
  provider.fault(/balance/, null)
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/^Daily {2}error {2}the feed provider refused the API key/m)
  expect(stdout).toMatch(/^Daily {2}error: the feed provider refused the API key/m)
})

test('feed:watch names the type of a link that no feed syncs, and a deleted one', async () => {
  const { linkId } = await alice.createBankAccount()
  const manual = await run('feed:watch', linkId)
  expect([manual.code, manual.stdout, manual.stderr]).toEqual([
    1,
    '',
    `The link ${linkId} is of type manual, not of a feed: it has no syncs.\n`,
  ])
  await alice.call('DELETE', `/links/${linkId}`)
  const deleted = await run('feed:watch', linkId)
  expect([deleted.code, deleted.stderr]).toEqual([1, `The link ${linkId} was deleted.\n`])
})

test('feed:watch names why the server refuses a socket', async () => {
  const { linkId, bankAccountId } = await linkOne()
  const path = `/api/feed/link/sync/${linkId}/bank_account/${bankAccountId}/progress`
  const { authorization } = alice
  const url = coffer.baseUrl.replace('http', 'ws') + path
  const sockets = Array.from(
    { length: 20 },
    () => new WebSocket(url, { headers: { authorization } }),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  const { code, stdout, stderr } = await run('feed:watch', linkId)
  for (const socket of sockets) socket.close()
  expect([code, stdout, stderr]).toEqual([
    1,
    'A sync waits to begin.\n',
    'The progress of Daily could not be shown: too many open sockets: close one first.\n',
  ])
})

import { runHere } from '@coffer/cli/testing/run-here'
import { publishProgress } from '@coffer/kit/events/progress'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { feedAccount, type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'

let provider: LunchFlow
let coffer: Coffer
let alice: Person

beforeAll(async () => {
  provider = await startLunchFlow()
  coffer = await startCoffer({
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: provider.url,
  })
  alice = await coffer.person()
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
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
  expect(stdout).toContain(`npm run coffer -- feed:watch ${linkId} &\n`)
  expect(stdout).toContain(`-d '{"linkId":"${linkId}"}'\n`)
})

test('feed:link names what the provider or the server refuses, on one line', async () => {
  const refused = await link('aWrongKey')
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/^POST .+: 500 .*the feed provider refused the API key.*\n$/)
  provider.accounts.splice(0)
  const empty = await link()
  expect([empty.code, empty.stderr]).toEqual([1, 'The feed provider offers no bank account.\n'])
  const away = ['--url', 'https://elsewhere.example', '--key', 'k']
  expect((await run('feed:link', ...away)).stderr).toMatch(/^POST \/feed\/link: 400 .+\n$/)
})

test('the commands name the API key that they lack, and an unknown link', async () => {
  const settings = { COFFER_DATA_DIR: coffer.dataDir }
  const { code, stderr } = await runHere(['feed:watch', 'link_1'], settings)
  expect([code, stderr]).toEqual([
    1,
    'No API key: give one with --api-key, or load "coffer demo".\n',
  ])
  const unknown = await run('feed:watch', 'link_1')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'No bank account belongs to the link link_1.\n',
  ])
})

/** Links one bank account of the provider; returns the IDs of the link and the bank account. */
async function linkOne() {
  provider.accounts.splice(0, provider.accounts.length, feedAccount(1, { name: 'Daily' }))
  const { stdout } = await link()
  const [linkId = '', bankAccountId = ''] = stdout.match(/\b(link|bac)_\w+/g) ?? []
  return { linkId, bankAccountId }
}

test.each([
  ['complete', {}, 0, 'Daily  complete'],
  ['error', { error: 'the feed provider did not answer' }, 1, /^Daily {2}error {2}the feed .+$/m],
])('feed:watch prints frames until the status %s', async (status, more, code, line) => {
  const { linkId, bankAccountId } = await linkOne()
  const { broker } = coffer.booted
  // Messages are published again and again, because one before the subscription is lost.
  const publish = () => {
    for (const frame of [{ status: 'begin' }, { status, ...more }]) {
      const news = { bankAccountId, run: 'run-1', ...frame }
      publishProgress(broker, { accountId: alice.accountId, id: bankAccountId }, news)
    }
  }
  const publishing = setInterval(publish, 50)
  const watched = await run('feed:watch', linkId)
  clearInterval(publishing)
  expect([watched.code, watched.stderr]).toEqual([code, ''])
  expect(watched.stdout).toMatch(line)
})

test('feed:watch names the refusal of a socket', async () => {
  const { linkId } = await alice.createBankAccount()
  const watched = await run('feed:watch', linkId)
  expect([watched.code, watched.stdout]).toEqual([1, ''])
  expect(watched.stderr).toMatch(/^ws:.+: Unexpected server response: 400\n$/)
})

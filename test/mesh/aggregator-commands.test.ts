import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { saveDemo } from '@coffer/cli/demo/person'
import { runHere } from '@coffer/cli/testing/run-here'
import { eventually } from '@coffer/host/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { linkAggregator } from '../providers/linked-aggregator.ts'
import { openPlaidTour, type PlaidTour } from '../providers/plaid-tour.ts'

const announceMs = 200
const stack = new AsyncDisposableStack()
const settings: Record<string, string> = {}
let tour: PlaidTour
let coffer: Coffer
let alice: Person

beforeAll(async () => {
  const scratch = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-tour-')))
  const keys = { clientId: 'client', secret: 'secret' }
  tour = stack.use(await openPlaidTour({ ...keys, dataDir: scratch.path, webhookOrigin: '' }))
  Object.assign(settings, {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: 'client',
    COFFER_AGGREGATOR_CLIENT_SECRET: 'secret',
    COFFER_AGGREGATOR_URL: tour.plaid.url,
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'localhost:4000',
  })
  coffer = stack.use(await startCoffer(settings))
  tour.plaid.webhooks.origin = coffer.baseUrl
  settings.COFFER_DATA_DIR = coffer.dataDir
  alice = await coffer.person()
  const announcing = setInterval(() => void tour.announce(), announceMs)
  stack.defer(() => clearInterval(announcing))
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Runs `aggregator:link` against the server, as Alice. */
function link(...args: string[]) {
  const { email, password } = alice
  saveDemo(coffer.dataDir, { email, password, bankAccountId: 'bac_1' })
  return runHere(['aggregator:link', '--server', `${coffer.baseUrl}/`, ...args], settings)
}

test('aggregator:link links a bank of the sandbox and waits for its transactions', async () => {
  const { code, stdout, stderr } = await link()
  expect([code, stderr]).toEqual([0, ''])
  const [, linkId = ''] = /^Link +(link_\S+) {3}First Platypus Bank$/m.exec(stdout) ?? []
  const accounts = await alice.get(`/bank_accounts?link_id=${linkId}`)
  expect(accounts).toHaveLength(4)
  for (const { bankAccountId, name } of accounts) {
    expect(stdout).toContain(`Bank account   ${bankAccountId}   ${name}\n`)
  }
  expect(stdout).toContain(`npm run coffer -- sync ${linkId}\n`)
  const [checking] = accounts.filter(({ name }: { name: string }) => name === 'Everyday Checking')
  const path = `/bank_accounts/${checking.bankAccountId}/transactions`
  const before = await alice.get(`${path}?limit=1`)
  expect(before).toHaveLength(1)
  tour.shop(new Date())
  await eventually(
    () => alice.get(`${path}?limit=1`),
    ([newest]) => newest.transactionId !== before[0].transactionId,
  )
})

test('the session of the command is ended', async () => {
  const path = '/users/security/sessions'
  const list = async () => (await alice.call('GET', path, { asSession: true })).body
  const count = (await list()).length
  expect((await link()).code).toBe(0)
  expect(await list()).toHaveLength(count)
})

test.each([
  [['--secret', 'other'], {}, /^Plaid refused \/sandbox\/public_token\/create: INVALID_API_KEYS, /],
  [['--institution', 'ins_1'], {}, /^Plaid refused \/sandbox\/.+: INVALID_INSTITUTION, /],
  [[], { COFFER_AGGREGATOR_URL: 'http://127.0.0.1:1' }, /^Plaid at http:\/\/127.+ not answer: /],
  [[], { COFFER_AGGREGATOR_URL: '' }, /^The command links test banks: set COFFER_AGGREGATOR_URL=/],
  [[], { COFFER_AGGREGATOR_CLIENT_ID: '' }, /^No keys of Plaid: give them with --client-id and /],
  [[], { COFFER_DATA_DIR: '/nonexistent' }, /^No login: give one with --email, or load "coffer /],
])('aggregator:link %j with %j names the fault on one line', async (args, changed, line) => {
  const kept = { ...settings }
  Object.assign(settings, changed)
  const { code, stdout, stderr } = await link(...args)
  Object.assign(settings, kept)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd()).not.toContain('\n')
})

test('aggregator:link says what to do after a change of the saved password', async () => {
  const { email } = alice
  saveDemo(coffer.dataDir, { email, password: 'the password before', bankAccountId: 'bac_1' })
  const server = ['--server', coffer.baseUrl]
  const { code, stdout, stderr } = await runHere(['aggregator:link', ...server], settings)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /could not sign in: .+ give --email \S+ with the password on standard input/,
  )
  expect(stderr).toContain(`npm run coffer -- login:reset-password --email ${email}`)
})

test('a link of Plaid Link is set up by its webhook', async () => {
  const bob = await coffer.person()
  const { linkId, item } = await linkAggregator(bob, tour.plaid)
  const path = `/aggregator/link/setup/wait/${linkId}`
  expect((await bob.call('GET', path, { asSession: true })).status).toBe(200)
  expect(await bob.get(`/links/${linkId}`)).toMatchObject({ linkType: 'aggregator' })
  expect(await bob.get(`/bank_accounts?link_id=${linkId}`)).toHaveLength(item.accounts().length)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import { call, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy, type Part } from '../harness/process.ts'

// Two replicas of the ledger and two of the rest, started before and after a rotation of the keys.
const stack = new AsyncDisposableStack()
let deployment: Deployment
let ledgers: [Part, Part]
let rests: [Part, Part]
let urls: Record<string, string>

const others = ['gateway', 'identity', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']

beforeAll(async () => {
  deployment = stack.use(await deploy())
  ledgers = [await deployment.part('ledger'), await deployment.part('ledger')]
  rests = [await deployment.part(...others), await deployment.part(...others)]
  const both = (parts: [Part, Part]) => parts.map(({ url }) => url).join(',')
  urls = {
    COFFER_IDENTITY_URL: both(rests),
    COFFER_BUDGETING_URL: both(rests),
    COFFER_AGGREGATOR_SYNC_URL: both(rests),
    COFFER_FEED_SYNC_URL: both(rests),
    COFFER_NOTICES_URL: both(rests),
    COFFER_LEDGER_URL: both(ledgers),
  }
  await Promise.all([ledgers[0].start(urls), rests[0].start(urls)])
}, 120_000)

afterAll(() => stack.disposeAsync())

/** Sends reads and writes to both gateways until told to end; counts the statuses. */
function keepCalling(person: Person, path: string, baseUrls: () => string[]) {
  const counts: Record<number, number> = {}
  let isOver = false
  const { authorization } = person
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const line = async () => {
    while (!isOver) {
      for (const baseUrl of baseUrls()) {
        const headers = { authorization }
        const read = await call(baseUrl, 'GET', `${path}/balances`, { headers })
        const write = await call(baseUrl, 'POST', `${path}/transactions`, { body, headers })
        for (const { status } of [read, write]) counts[status] = (counts[status] ?? 0) + 1
      }
    }
  }
  const lines = [line(), line(), line()]
  return async () => {
    isOver = true
    await Promise.all(lines)
    return counts
  }
}

test('signing keys are rotated while requests go on, and none fails', async () => {
  const [first, second] = rests
  const person = await newPerson(first.baseUrl)
  const { path } = await person.createBankAccount(1_000_000)
  const baseUrls = [first.baseUrl]
  const end = keepCalling(person, path, () => baseUrls)
  expect((await deployment.run('keys:rotate', '--signing')).code).toBe(0)
  const finished = await deployment.run('keys:rotate', '--signing', '--finish')
  expect(finished.code).toBe(0)
  // These sign with the new keys, beside processes that sign with the former ones.
  await Promise.all([ledgers[1].start(urls), second.start(urls)])
  baseUrls.push(second.baseUrl)
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  const counts = await end()
  expect(Object.keys(counts)).toEqual(['200'])
  console.log(JSON.stringify({ fault: 'rotation of signing keys', requests: counts[200] }))
}, 120_000)

test('a replica with an empty keys folder does not start beside encrypted secrets', async () => {
  const [first] = rests
  const person = await newPerson(first.baseUrl)
  const { body } = await person.call('POST', '/users/security/totp/setup', { asSession: true })
  const secret = new URL(body.uri).searchParams.get('secret') ?? ''
  const code = { body: { totp: generateSync({ secret }) }, asSession: true }
  expect((await person.call('POST', '/users/security/totp/confirm', code)).status).toBe(200)

  const folder = await mkdtemp(join(tmpdir(), 'coffer-keys-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const lonely = await deployment.part(...others)
  const starting = lonely.start({ ...urls, COFFER_KEYS_DIR: folder })
  await expect(starting).rejects.toThrow(/exit 2[\s\S]*COFFER_KEYS_DIR/)
}, 120_000)

import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setWebhooks, type WebhookResult } from '@coffer/aggregator-sync/links/operator.service'
import type { Aggregator, OpenItem } from '@coffer/aggregator-sync/provider/aggregator'
import { plaidFailure } from '@coffer/aggregator-sync/provider/plaid-fault'
import { runHere } from '@coffer/cli/testing/run-here'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { readSettings } from '@coffer/host/settings'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { type LinkWorld, startLinkWorld, withoutWorkflows } from './world.ts'

const stack = new AsyncDisposableStack()
const settings: Record<string, string> = {}
const domain = 'api.example.com'
const url = `https://${domain}/api/aggregator/webhook`
let world: LinkWorld

beforeAll(async () => {
  const scratch = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-commands-')))
  world = stack.use(await startLinkWorld({}, withoutWorkflows().definition))
  Object.assign(settings, {
    COFFER_DATA_DIR: scratch.path,
    COFFER_DATABASE_URL: world.booted.databaseUrl,
    COFFER_KEYS_DIR: world.booted.keysFolder,
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_URL: world.plaid.url,
    COFFER_AGGREGATOR_CLIENT_ID: world.plaid.clientId,
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: domain,
  })
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Runs a command with Plaid's secret as an option, as beside `npm start`. */
function run(args: string[], more: Record<string, string> = {}) {
  return runHere([...args, '--secret', world.plaid.secret], { ...settings, ...more })
}

const callsOf = ({ accessToken }: PlaidItem, path: string) =>
  world.plaid.calls.filter((call) => {
    return call.path === path && call.request?.access_token === accessToken
  })

describe('aggregator:refresh', () => {
  const path = '/transactions/refresh'

  afterAll(async () => {
    // An answer 429 pauses the item for 30 s.
    const { pool } = world.booted.database('aggregator-sync')
    await pool.query(sql.unsafe`UPDATE item_calls SET limited_until = NULL`)
  })

  test('lets Plaid look for transactions, at most twice in a minute', async () => {
    const { linkId, item } = await world.user().link()
    const { code, stdout, stderr } = await run(['aggregator:refresh', linkId])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Plaid asks the institution .+\nA webhook starts the sync /)
    const off = { COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'false' }
    // A minute that begins between the calls allows two more.
    const codes = []
    for (let times = 1; times <= 4; times += 1) {
      codes.push(await run(['aggregator:refresh', linkId], off))
    }
    expect(codes[0]?.stdout).toContain(`Then sync the link:\n  coffer sync ${linkId}\n`)
    const refused = codes.filter((one) => one.code === 1)
    expect(refused.length).toBeGreaterThan(0)
    for (const one of refused) {
      expect(one.stderr).toMatch(/^Plaid allows no more such calls now: try again in \d+ s\.\n$/)
    }
    expect(callsOf(item, path)).toHaveLength(5 - refused.length)
  })

  test.each([
    ['INVALID_PRODUCT', 'Plaid has not enabled "Transactions Refresh" for these keys: ask for it'],
    ['ITEM_LOGIN_REQUIRED', 'the institution asks its user to act: ITEM_LOGIN_REQUIRED.'],
    ['INVALID_API_KEYS', 'Plaid refuses the keys (INVALID_API_KEYS): give them with --client-id'],
    ['TRANSACTIONS_LIMIT', 'Plaid allows no more such calls now: try again in 60 s.'],
  ] as const)('names what Plaid refuses with %s on one line', async (fault, line) => {
    const { linkId, item } = await world.user().link()
    item.fault(/refresh/, plaidFaults.code(fault), 1)
    const { code, stdout, stderr } = await run(['aggregator:refresh', linkId])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(line)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('refuses links that it cannot call for, and an aggregator that is off', async () => {
    const user = world.user()
    const { linkId } = await user.link()
    const off = await run(['aggregator:refresh', linkId], { COFFER_AGGREGATOR_ENABLED: 'false' })
    expect([off.code, off.stderr]).toEqual([
      1,
      'The aggregator is off: set COFFER_AGGREGATOR_ENABLED=true.\n',
    ])
    const unknown = await run(['aggregator:refresh', 'link_1'])
    expect(unknown.stderr).toBe('No link over the aggregator has the ID link_1.\n')
    await world.end({ accountId: user.accountId, linkId })
    const ended = await run(['aggregator:refresh', linkId])
    expect(ended.stderr).toBe('the link is deactivated or being created.\n')
  })
})

describe('aggregator:webhook', () => {
  const path = '/item/webhook/update'
  const others = { COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'other.example.com' }

  test('registers the address for all links with another one, once', async () => {
    await run(['aggregator:webhook'])
    const linked = [await world.user().link(), await world.user().link()]
    const user = world.user()
    const ended = await user.link()
    await world.end({ accountId: user.accountId, linkId: ended.linkId })
    const { code, stdout, stderr } = await run(['aggregator:webhook'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`${url}: registered 2, failed 0\n`)
    expect(linked.map(({ item }) => item.webhook)).toEqual([url, url])
    expect(ended.item.webhook).toBeNull()
    expect((await run(['aggregator:webhook'])).stdout).toBe(`${url}: registered 0, failed 0\n`)
    for (const { item } of linked) expect(callsOf(item, path)).toHaveLength(1)
  })

  test('goes on after a failure, and another run with the links that are left', async () => {
    await run(['aggregator:webhook'])
    const [broken, ...rest] = [
      await world.user().link(),
      await world.user().link(),
      await world.user().link(),
    ] as const
    broken.item.fault(/webhook/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 1)
    const first = await run(['aggregator:webhook'])
    expect([first.code, first.stdout]).toEqual([1, `${url}: registered 2, failed 1\n`])
    expect(first.stderr).toBe(
      `${broken.linkId}: the aggregator answered with INTERNAL_SERVER_ERROR\n`,
    )
    expect(rest.map(({ item }) => item.webhook)).toEqual([url, url])
    const second = await run(['aggregator:webhook'])
    expect([second.code, second.stdout]).toEqual([0, `${url}: registered 1, failed 0\n`])
  })

  test('registers it for one link whatever is stored', async () => {
    const { linkId, item } = await world.user().link()
    for (const count of [1, 2]) {
      expect((await run(['aggregator:webhook', linkId])).code).toBe(0)
      expect(callsOf(item, path)).toHaveLength(count)
    }
    expect((await run(['aggregator:webhook', 'link_1'])).stderr).toBe(
      'No link over the aggregator has the ID link_1.\n',
    )
  })

  test('ends at refused keys, and with webhooks off', async () => {
    const { item } = await world.user().link()
    item.fault(/webhook/, plaidFaults.code('INVALID_API_KEYS'), 1)
    const refused = await run(['aggregator:webhook'], others)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(/^Plaid refuses the keys \(INVALID_API_KEYS\): .+\n$/)
    const off = await run(['aggregator:webhook'], { COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'false' })
    expect(off.stderr).toBe(
      'Webhooks are off: set COFFER_AGGREGATOR_WEBHOOKS_ENABLED=true, and the domain.\n',
    )
  })

  test('waits for the end of a limit, with at most eight calls at once', async () => {
    const { booted } = world
    for (let count = 0; count < 12; count += 1) await world.user().link()
    const keys = createKeyEncryption(readSettings(keySettings, {}), booted.keysFolder)
    const limited = new Set<string>()
    const full = Promise.withResolvers<void>()
    let running = 0
    let most = 0
    const setWebhook = async ({ linkId }: OpenItem) => {
      running += 1
      most = Math.max(most, running)
      if (running === 8) full.resolve()
      await full.promise
      await sleep(50)
      running -= 1
      if (limited.has(linkId)) return
      limited.add(linkId)
      throw plaidFailure('rate-limited', { retryAfterMs: 60_000 })
    }
    const openAggregator = async () => ({ setWebhook }) as Partial<Aggregator> as Aggregator
    const database = booted.database('aggregator-sync')
    const deps = { database, secrets: createSecrets(keys), openAggregator }
    const pauses: number[] = []
    const pause = async (ms: number) => void pauses.push(ms)
    const results: WebhookResult[] = []
    await setWebhooks(deps, { url: 'https://third.example', pause }, (one) => results.push(one))
    expect(results.length).toBeGreaterThanOrEqual(12)
    expect(results.filter(({ failure }) => failure !== null)).toEqual([])
    expect(pauses).toEqual(results.map(() => 60_000))
    expect(most).toBe(8)
  })
})

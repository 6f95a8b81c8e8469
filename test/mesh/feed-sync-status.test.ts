import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import type { SyncHealth } from '@coffer/proto/sync/v1/health'
import { beforeEach, expect, test } from '@jest/globals'
import { type FragmentSqlToken, sql } from 'slonik'
import { faults } from '../providers/feed-faults.ts'
import {
  addAccount,
  daysAgo,
  type FeedHome,
  linkFeed,
  linkOne,
  startFeedWorld,
} from './feed-world.ts'

const world = started(() => startFeedWorld())

beforeEach(() => {
  world.provider.accounts.splice(0)
})

/** Makes the link due, runs the schedule, and waits until its sync ends. */
async function syncOnSchedule(home: FeedHome): Promise<SyncHealth> {
  const { booted } = world.coffer
  const { lastAttempt } = await home.health()
  const { rowCount } = await booted.database('feed-sync').pool.query(sql.unsafe`
    UPDATE feed_links SET next_sync_at = now()
    WHERE account_id = ${home.person.accountId} AND next_sync_at IS NOT NULL`)
  if (rowCount === 0) throw new Error('no sync is scheduled')
  await booted.workflows.start({ type: 'startDueFeedSyncs', id: 'feed-sync-due', args: [] })
  return home.until((health) => {
    return !health.isSyncing && msOf(health.lastAttempt) > msOf(lastAttempt)
  })
}

const msOf = (time: Timestamp | undefined) => (time ? timestampDate(time).getTime() : 0)

/** Minutes from the last attempt to the next. */
function pauseOf({ lastAttempt, nextAttempt }: SyncHealth): number | null {
  return nextAttempt ? Math.floor((msOf(nextAttempt) - msOf(lastAttempt)) / 60_000) : null
}

const unauthorized = 'the feed provider refused the API key: {"error":"Unauthorized"'

/** States four failures in a row of a link, and of its bank account with this feed ID. */
async function setFourFailures({ person }: FeedHome, feedId: string): Promise<void> {
  const { accountId } = person
  await world.coffer.booted.database('feed-sync').pool.query(sql.unsafe`
    WITH link AS (UPDATE feed_links SET failures_in_row = 4 WHERE account_id = ${accountId})
    UPDATE feed_bank_accounts SET failures_in_row = 4
    WHERE account_id = ${accountId} AND feed_id = ${feedId}`)
}

test('five failed syncs in a row set the status error; a requested sync ends it', async () => {
  const home = await linkOne(world)
  await home.sync()
  world.provider.fault(/accounts/, faults.refusedKey())
  const failed = await syncOnSchedule(home)
  expect([failed.failuresInRow, failed.lastError?.code]).toEqual([1, 'key-refused'])
  expect(pauseOf(failed)).toBe(10)
  // The pauses in between: feed-sync.test.ts.
  await setFourFailures(home, home.feedId)
  const last = await syncOnSchedule(home)
  expect([last.failuresInRow, pauseOf(last)]).toEqual([5, null])
  const { feedLink } = await home.person.get(`/links/${home.linkId}`)
  expect(feedLink).toMatchObject({ status: 'error', error: expect.stringContaining(unauthorized) })
  await expect(syncOnSchedule(home)).rejects.toThrow('no sync is scheduled')

  world.provider.fault(/accounts/, null)
  const request = () =>
    home.person.call('POST', '/feed/link/sync', { body: { linkId: home.linkId } })
  expect((await request()).status).toBe(202)
  expect((await request()).status).toBe(425)
  const health = await home.until(({ status, isSyncing }) => status === 'active' && !isSyncing)
  expect([health.failuresInRow, health.lastError]).toEqual([0, undefined])
  expect(pauseOf(health)).toBeGreaterThanOrEqual(360)
  expect(pauseOf(health)).toBeLessThan(381)
})

test('a bank account that fails five times is left out until a requested sync', async () => {
  const { provider } = world
  const feedIds = [addAccount(provider), addAccount(provider)]
  const home = await linkFeed(world, feedIds)
  const [good = '', bad = ''] = feedIds
  const path = new RegExp(`accounts/${bad}/transactions`)
  provider.fault(path, faults.status(500, 'broken'))
  expect((await home.sync()).bankAccounts[1]).toMatchObject({ failuresInRow: 1 })
  await setFourFailures(home, bad)
  await syncOnSchedule(home)
  const { status, bankAccounts, lastError } = await home.health()
  expect(lastError).toEqual(bankAccounts[1]?.lastError)
  expect(lastError?.advice).toContain('request a sync with POST /api/feed/link/sync')
  expect([status, ...bankAccounts.map((one) => one.status)]).toEqual(['active', 'active', 'error'])
  expect(bankAccounts[1]).toMatchObject({ failuresInRow: 5, lastError: { code: 'status' } })
  provider.fault(path, null)
  const before = provider.requests.length
  await syncOnSchedule(home)
  const asked = provider.requests.slice(before).join()
  expect([asked.includes(`/${good}/`), asked.includes(`/${bad}/`)]).toEqual([true, false])
  const recovered = await home.sync()
  expect(recovered.bankAccounts[1]).toMatchObject({ status: 'active', failuresInRow: 0 })
})

test('nothing is synced while the provider has lost the bank account, and then all', async () => {
  const home = await linkOne(world)
  const { lastSuccess } = await home.sync()
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  const account = world.provider.accounts[0]!
  world.provider.accounts[0] = { ...account, status: 'DISCONNECTED' }
  for (let syncs = 0; syncs < 2; syncs += 1) {
    const health = syncs === 0 ? await home.sync() : await syncOnSchedule(home)
    expect(health).toMatchObject({ status: 'active', failuresInRow: 0, lastSuccess })
    expect(health.lastError).toMatchObject({
      code: 'disconnected',
      advice: 'Renew the connection at the provider. Syncs are repeated.',
    })
    expect(pauseOf(health)).toBeGreaterThanOrEqual(360)
  }
  world.provider.accounts[0] = account
  const healed = await syncOnSchedule(home)
  expect([healed.lastError, healed.lastArrival?.added]).toEqual([undefined, 1])
})

test('a balance that no account can have is a fault, and the next one is set', async () => {
  const home = await linkOne(world, { balance: '-90071992547409.91' })
  expect((await home.sync()).lastError).toMatchObject({ code: 'unreadable' })
  home.bank.setBalance('45035996273704.95')
  expect((await home.sync()).lastError).toBeUndefined()
  home.bank.setBalance('-45035996273704.95')
  expect((await home.sync()).lastError).toBeUndefined()
  const balances = await home.person.get(`${home.path}/balances`)
  expect(balances).toMatchObject({ current: -4_503_599_627_370_495 })
})

test('the pause that the provider asks for is kept, and is no failure', async () => {
  const home = await linkOne(world)
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  world.provider.fault(/transactions/, faults.rateLimited('7200'), 1)
  const health = await home.sync()
  expect(health).toMatchObject({ status: 'active', failuresInRow: 0 })
  expect([health.lastError?.code, pauseOf(health)]).toEqual(['rate-limited', 120])
  world.provider.fault(/transactions/, faults.rateLimited('1'), 1)
  const next = await home.sync()
  expect([next.lastArrival?.added, next.lastError]).toEqual([1, undefined])
})

test('a requested sync of a link with errors is repeated when the provider allows it', async () => {
  const home = await linkOne(world)
  const { booted } = world.coffer
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  const set = (assignments: FragmentSqlToken) =>
    booted.database('feed-sync').pool.query(sql.unsafe`
      UPDATE feed_links SET ${assignments} WHERE account_id = ${home.person.accountId}`)
  await set(sql.fragment`status = 'error', failures_in_row = 5, next_sync_at = NULL`)
  world.provider.fault(/transactions/, faults.rateLimited('7200'), 1)
  const limited = await home.sync()
  expect([limited.status, limited.lastError?.code, pauseOf(limited)]).toEqual([
    'error',
    'rate-limited',
    120,
  ])
  const sweep = () =>
    booted.workflows.start({ type: 'startDueFeedSyncs', id: 'feed-sync-due', args: [] })
  await set(sql.fragment`requested_at = now() - interval '1 minute'`)
  await sweep()
  const health = await home.until(({ status, isSyncing }) => status === 'active' && !isSyncing)
  expect([health.lastArrival?.added, health.lastError]).toEqual([1, undefined])
})

test('failed requests leave the failures and the schedule of a link', async () => {
  const home = await linkOne(world)
  await home.sync()
  world.provider.fault(/balance/, faults.status(500, 'broken'))
  const { nextAttempt, ...first } = await home.sync()
  expect(pauseOf({ nextAttempt, ...first })).toBe(10)
  await setFourFailures(home, home.feedId)
  const again = await home.sync()
  expect(again).toMatchObject({ status: 'active', failuresInRow: 4, nextAttempt })
  expect(again.bankAccounts).toMatchObject([{ status: 'active', failuresInRow: 4 }])
  world.provider.fault(/balance/, null)
})

test('a request whose event was lost is found by the schedule', async () => {
  const home = await linkOne(world)
  const { booted } = world.coffer
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  await booted.database('feed-sync').pool.query(sql.unsafe`
    UPDATE feed_links SET requested_at = now() - interval '1 minute'
    WHERE account_id = ${home.person.accountId}`)
  await booted.workflows.start({ type: 'startDueFeedSyncs', id: 'feed-sync-due', args: [] })
  await eventually(home.list, ({ length }) => length === 1)
})

test('a scheduled sync reads the last 90 days, and all of them once in a week', async () => {
  const home = await linkOne(world)
  const { requests } = world.provider
  // Transactions from before the first day of a list are kept.
  home.bank.post({ date: daysAgo(201), amount: '-3' })
  const old = home.bank.post({ date: daysAgo(200), amount: '-1' })
  home.bank.post({ date: daysAgo(10), amount: '-2' })
  await home.sync()
  home.bank.remove(old)
  let before = requests.length
  expect((await syncOnSchedule(home)).lastArrival).toMatchObject({ added: 0, removed: 0 })
  expect(requests.slice(before).join()).toContain(`from=${daysAgo(90)}`)
  const { booted } = world.coffer
  await booted.database('feed-sync').pool.query(sql.unsafe`
    UPDATE feed_bank_accounts SET last_whole_at = now() - interval '8 days'
    WHERE account_id = ${home.person.accountId}`)
  before = requests.length
  expect((await syncOnSchedule(home)).lastArrival).toMatchObject({ added: 0, removed: 1 })
  expect(requests.slice(before).join()).not.toContain('from=')
})

import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { plaidFaults } from '../providers/plaid/faults.ts'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from './plaid-world.ts'

const webhook = 'https://money.example/api/aggregator/webhook'

const world = started(() =>
  startPlaidWorld({
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'money.example',
  }),
)

/** Subscribes to the messages for clients that wait for the set-up of a link. */
function watch({ person, linkId }: PlaidHome) {
  const { broker } = world.coffer.booted
  const all: unknown[] = []
  const subject = broker.subject(`progress.${person.accountId}.${linkId}`)
  const subscription = broker.connection.subscribe(subject, {
    callback: (_error, message) => void all.push(message.json()),
  })
  return { all, [Symbol.dispose]: () => subscription.unsubscribe() }
}

/** Returns the hours from the last sync to the next one. */
function hoursToNext(health: Awaited<ReturnType<PlaidHome['sync']>>): number {
  const { nextAttempt, lastAttempt } = health
  return Number((nextAttempt?.seconds ?? 0n) - (lastAttempt?.seconds ?? 0n)) / 3_600
}

/** Returns the number of mails that the owner of a link gets about it. */
async function noticesOf({ person }: PlaidHome): Promise<number> {
  const changes = await world.coffer.booted.changes('aggregator-sync', person.accountId)
  return changes.filter((type) => type.endsWith('AggregatorLinkNeedsUser')).length
}

describe('bank accounts', () => {
  const statuses = async ({ person, paths }: PlaidHome) => {
    const accounts = await Promise.all(paths.map((path) => person.get(path)))
    return accounts.map(({ status }) => status)
  }

  test('that Plaid no longer lists become inactive, and active when they are back', async () => {
    const home = await linkItem(world, [{}, { name: 'Saving', mask: '1111' }])
    const { item, ids, sync, list, paths } = home
    const [, saving = ''] = ids
    await sync()
    item.hide(saving)
    await sync()
    expect(await statuses(home)).toEqual(['active', 'inactive'])
    item.bank(saving).post({ date: daysAgo(1), amount: '5' })
    item.show(saving)
    await sync()
    expect(await statuses(home)).toEqual(['active', 'active'])
    expect(await list(paths[1])).toMatchObject([{ amount: 500 }])
  })

  test('without any account in the answer, none becomes inactive', async () => {
    const home = await linkItem(world)
    home.item.hide(home.ids[0] ?? '')
    expect((await home.sync()).status).toBe('setup')
    expect(await statuses(home)).toEqual(['active'])
  })

  test('get the balances and the original name that Plaid states', async () => {
    const { item, ids, bank, sync, person, paths } = await linkItem(world)
    await sync()
    bank.setBalances({ available: null, current: '12.34', limit: '500' })
    const [account] = item.accounts()
    if (account) account.name = 'Everyday'
    await sync()
    const [path = ''] = paths
    expect(await person.get(`${path}/balances`)).toMatchObject({ available: 0, current: 1_234 })
    const shown = await person.get(path)
    expect(shown).toMatchObject({ originalName: 'Everyday', limitBalance: 50_000 })
    expect(shown.aggregatorBankAccount).toMatchObject({ name: 'Everyday' })
    expect(JSON.stringify(shown)).not.toContain(ids[0])
  })

  test('of loans and brokers have balances without transactions', async () => {
    const home = await linkItem(world, [
      { name: 'Loan', type: 'loan', subtype: 'auto', balances: { current: '9000' } },
      { name: 'Broker', type: 'investment', subtype: 'brokerage', balances: { current: '77' } },
    ])
    home.item.fault(/transactions/, plaidFaults.code('PRODUCTS_NOT_SUPPORTED'))
    const { status, lastError } = await home.sync()
    expect([status, lastError]).toEqual(['setup', undefined])
    const balances = home.paths.map((path) => home.person.get(`${path}/balances`))
    expect(await Promise.all(balances)).toMatchObject([{ current: -900_000 }, { current: 7_700 }])
  })

  test('that are added later get their earlier transactions', async () => {
    const home = await linkItem(world)
    const { item, bank, list, sync } = home
    const kept = bank.post({ date: daysAgo(40), amount: '1' })
    const added = item.addAccount({ name: 'Saving', mask: '1111' })
    item.bank(added).post({ date: daysAgo(40), amount: '5' })
    expect((await sync()).lastArrival).toMatchObject({ added: 1, skipped: 1 })
    const [, path] = await home.addAccounts()
    bank.remove(kept)
    expect((await sync()).lastArrival).toMatchObject({ added: 1, removed: 1, skipped: 0 })
    expect(await list(path)).toMatchObject([{ amount: 500 }])
    expect(await list()).toEqual([])
    expect((await home.state()).wholeRequestedAt).toBeNull()
  })

  test('under a new ID without a lasting one are found by their likeness', async () => {
    const home = await linkItem(world, [{}, { name: 'Saving', mask: '1111' }])
    await home.sync()
    const renewed = home.item.renewAccount(home.ids[1] ?? '', 'kept')
    home.item.bank(renewed).post({ date: daysAgo(1), amount: '5' })
    await home.sync()
    expect(await statuses(home)).toEqual(['active', 'active'])
    expect(await home.list(home.paths[1])).toMatchObject([{ amount: 500 }])
  })
})

describe('the status', () => {
  test('is setup after the first sync; clients that wait are told', async () => {
    const home = await linkItem(world)
    using messages = watch(home)
    const { status } = await home.sync()
    await home.sync()
    expect(status).toBe('setup')
    expect(messages.all).toEqual([{ linkId: home.linkId, status: 'setup' }])
  })

  test('stays pending until Plaid has transactions, which is no failure', async () => {
    const home = await linkItem(world)
    home.item.readiness = 'NOT_READY'
    home.bank.post({ date: daysAgo(1), amount: '5' })
    const early = await home.sync()
    expect(early).toMatchObject({ status: 'pending', failuresInRow: 0 })
    expect(early.lastError?.code).toBe('not-ready')
    expect(hoursToNext(early)).toBeLessThan(0.1)
    expect((await home.state()).cursor).toBeNull()
    home.item.readiness = 'INITIAL_UPDATE_COMPLETE'
    const partial = await home.sync()
    expect(partial).toMatchObject({ status: 'setup', lastArrival: { added: 1 } })
    expect(hoursToNext(partial)).toBeLessThan(0.1)
    home.item.readiness = 'HISTORICAL_UPDATE_COMPLETE'
    expect(hoursToNext(await home.sync())).toBeGreaterThanOrEqual(47.9)
  })

  test.each([
    ['ITEM_LOGIN_REQUIRED', 'error', 'login-required'],
    ['ITEM_NOT_FOUND', 'revoked', 'item-gone'],
  ] as const)('after %s is %s until the item works again', async (code, status, fault) => {
    const home = await linkItem(world)
    await home.sync()
    home.item.error = { code, isRefused: true }
    const failed = await home.sync()
    expect(failed).toMatchObject({ status, errorCode: code, failuresInRow: 1 })
    expect(failed.lastError).toMatchObject({ code: fault })
    if (status === 'revoked') expect(failed.nextAttempt).toBeUndefined()
    else expect(hoursToNext(failed)).toBeCloseTo(24, 1)
    await home.sync()
    expect(await noticesOf(home)).toBe(1)
    home.item.error = null
    const works = await home.sync()
    expect(works).toMatchObject({ status: 'setup', failuresInRow: 0 })
    expect([works.errorCode, works.lastError]).toEqual([undefined, undefined])
  })

  test('follows the error that an answer states about the item', async () => {
    const home = await linkItem(world)
    home.item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: false }
    home.item.consentExpiresAt = new Date('2027-01-01T00:00:00Z')
    home.bank.post({ date: daysAgo(1), amount: '5' })
    const health = await home.sync()
    expect(health).toMatchObject({ status: 'error', errorCode: 'ITEM_LOGIN_REQUIRED' })
    expect(health.consentExpiresAt?.seconds).toBe(BigInt(Date.UTC(2027, 0, 1) / 1_000))
    expect(await home.list()).toHaveLength(1)
  })

  test('is the same after an outage, however long; the schedule goes on', async () => {
    const home = await linkItem(world)
    await home.sync()
    home.item.fault(/./, plaidFaults.code('INSTITUTION_DOWN'))
    // The pauses in between: item-sync.test.ts.
    for (const [former, hours] of [
      [0, 1 / 6],
      [5, 24],
    ] as const) {
      await world.coffer.booted.database('aggregator-sync').pool.query(sql.unsafe`
        UPDATE aggregator_links SET failures_in_row = ${former} WHERE link_id = ${home.linkId}`)
      const health = await home.sync()
      expect(health).toMatchObject({ status: 'setup', failuresInRow: former + 1 })
      expect(hoursToNext(health)).toBeCloseTo(hours, 1)
    }
    home.item.fault(/./, null)
    expect(await home.sync()).toMatchObject({ status: 'setup', failuresInRow: 0 })
  })

  test('pauses of Plaid of more than a minute postpone the sync', async () => {
    const home = await linkItem(world)
    const { booted } = world.coffer
    await booted.database('aggregator-sync').pool.query(sql.unsafe`
      INSERT INTO item_calls (account_id, link_id, minute, day, limited_until)
      VALUES (${home.person.accountId}, ${home.linkId}, now(), now(), now() + interval '1 hour')`)
    const health = await home.sync()
    expect(health).toMatchObject({ status: 'pending', failuresInRow: 0 })
    expect(health.lastError?.code).toBe('rate-limited')
    expect(hoursToNext(health)).toBeCloseTo(1, 1)
    expect(health.calls?.limitedUntil).toBeDefined()
  })
})

test('another webhook URL is replaced by that of this server', async () => {
  const home = await linkItem(world)
  home.item.webhook = 'https://former.example/hook'
  await home.sync()
  expect(home.item.webhook).toBe(webhook)
  expect((await home.state()).webhookUrl).toBe(webhook)
  const before = world.plaid.calls.length
  await home.sync()
  const paths = world.plaid.calls.slice(before).map(({ path }) => path)
  expect(paths).not.toContain('/item/webhook/update')
})

describe('requests of a user', () => {
  test('sync a link, within 30 minutes once', async () => {
    const home = await linkItem(world)
    await expect(home.requestAsUser()).rejects.toThrow('not in a valid status')
    await home.sync()
    await home.requestAsUser()
    await home.until(({ syncCount }) => syncCount === 2n)
    await expect(home.requestAsUser()).rejects.toThrow('too recently')
    expect((await home.state()).lastManualSync).not.toBeNull()
  })

  test('of another account find no link', async () => {
    const home = await linkItem(world)
    await expect(home.requestAsUser(newId('acct'))).rejects.toThrow('not_found')
  })
})

import { started } from '@coffer/host/testing/started'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { changed } from '../providers/faults.ts'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from './plaid-world.ts'

const world = started(() => startPlaidWorld())

/** Returns the paths of an item's calls since an earlier number of calls. */
const callsOf = ({ calls }: PlaidHome, since = 0) => calls().slice(since)

test('the first sync imports all transactions and sets the balances', async () => {
  const { bank, sync, list, person, paths } = await linkItem(world)
  bank.post({ date: '2024-05-01', amount: '10', name: 'OLD SHOP 0815', merchant: 'Old Shop' })
  bank.post({ date: daysAgo(3), amount: '-1234.56', name: 'PAY', description: 'ACME PAYROLL' })
  bank.pend({ date: daysAgo(1), amount: '4.50', name: 'Cafe', category: 'FOOD_AND_DRINK_COFFEE' })
  const health = await sync()
  expect(health).toMatchObject({ status: 'setup', isSyncing: false, failuresInRow: 0 })
  expect(health.lastArrival).toMatchObject({ added: 3, changed: 0, matched: 0, removed: 0 })
  expect(health.bankAccounts).toMatchObject([{ status: 'active', syncCount: 1n }])
  expect(health.calls).toMatchObject({ today: 3, total: 3n })
  const [cafe, pay, old] = await list()
  expect(cafe).toMatchObject({ name: 'Cafe', amount: 450, isPending: true, source: 'aggregator' })
  expect(cafe).toMatchObject({ category: 'FOOD_AND_DRINK_COFFEE' })
  expect(pay).toMatchObject({ name: 'PAY', originalName: 'ACME PAYROLL', amount: -123_456 })
  expect(old).toMatchObject({ name: 'Old Shop', amount: 1_000, date: '2024-05-01T05:00:00Z' })
  const balances = await person.get(`${paths[0]}/balances`)
  expect(balances).toMatchObject({ current: 11_000, available: 10_000 })
})

/** Returns the stored version of a bank account, and the number of changes of its account. */
async function written({ person, paths }: PlaidHome) {
  const { booted } = world.coffer
  const bankAccountId = paths[0]?.split('/').at(-1) ?? ''
  const version = await booted
    .database('ledger')
    .pool.oneFirst(
      sql.type(
        z.object({ version: z.bigint() }),
      )`SELECT version FROM bank_accounts WHERE bank_account_id = ${bankAccountId}`,
    )
  return { version, changes: (await booted.changes('ledger', person.accountId)).length }
}

test('a sync that finds nothing new writes nothing to the ledger', async () => {
  const home = await linkItem(world)
  home.bank.post({ date: daysAgo(3), amount: '10' })
  home.bank.pend({ date: daysAgo(1), amount: '5' })
  await home.sync()
  const before = await written(home)
  const { lastArrival } = await home.sync()
  expect(lastArrival).toMatchObject({ added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 })
  expect(await written(home)).toEqual(before)
})

test('changes and removals follow the bank; faulty rows are skipped and counted', async () => {
  const { bank, sync, list } = await linkItem(world)
  const [wrong, gone] = ['10', '20', '30'].map((amount) =>
    bank.post({ date: daysAgo(2), amount }),
  ) as [string, string]
  await sync()
  bank.change(wrong, { amount: '11', description: 'CORRECTED' })
  bank.remove(gone)
  bank.post({ date: daysAgo(1), amount: '0.125' })
  bank.post({ date: daysAgo(1), amount: '7', currency: 'EUR' })
  const { lastArrival } = await sync()
  expect(lastArrival).toMatchObject({ added: 0, changed: 1, removed: 1 })
  // The last days of a requested sync list them too, now and in later syncs.
  expect(lastArrival?.skipped).toBe(2)
  expect((await sync()).lastArrival?.skipped).toBe(0)
  expect((await list()).map(({ amount }) => amount).toSorted()).toEqual([1_100, 3_000])
})

describe('name and envelope survive', () => {
  const cafe = { date: daysAgo(3), amount: '4.50', name: 'Cafe Roma' }
  const edits = { name: 'Coffee with Ann', notes: 'her turn next' }

  /** Syncs a pending purchase and edits it. `expectKept` checks its edits and the given fields. */
  async function editPending() {
    const home = await linkItem(world)
    const { person, bank } = home
    const [path = ''] = home.paths
    const id = bank.pend(cafe)
    await home.sync()
    const [{ transactionId }] = (await home.list()) as [Json]
    const spendingId = await createGoalIn(person, path, 2_000)
    await person.patch(`${path}/transactions/${transactionId}`, { ...edits, spendingId })
    const expectKept = async (fields: Json) => {
      const kept = { transactionId, ...edits, spendingId, spendingAmount: 450, ...fields }
      expect(await home.list()).toEqual([expect.objectContaining(kept)])
    }
    return { ...home, id, expectKept }
  }

  test('a posting under a new ID', async () => {
    const { bank, id, sync, expectKept } = await editPending()
    bank.settle(id, { date: daysAgo(1), description: 'CAFE ROMA 0815' })
    expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 1, removed: 0 })
    await expectKept({ isPending: false, originalName: 'CAFE ROMA 0815' })
  })

  test('a posting in the sync after the removal', async () => {
    const { bank, id, sync, list, expectKept } = await editPending()
    bank.remove(id)
    await sync()
    expect(await list()).toEqual([])
    bank.post({ ...cafe, pendingId: id })
    await sync()
    await expectKept({ isPending: false })
  })

  test('a posting in the sync before the removal', async () => {
    const { bank, id, sync, expectKept } = await editPending()
    bank.post({ ...cafe, pendingId: id })
    await sync()
    bank.remove(id)
    await sync()
    await expectKept({ isPending: false })
  })

  test('a cursor that Plaid does not know any more', async () => {
    const { bank, item, id, sync, expectKept } = await editPending()
    bank.settle(id)
    item.refuseCursors()
    const { status, lastError } = await sync()
    expect([status, lastError]).toEqual(['setup', undefined])
    await expectKept({ isPending: false })
  })

  test('a renewed consent that changes all IDs', async () => {
    const { item, ids, sync, expectKept } = await editPending()
    item.renewAccount(ids[0] ?? '', 'new')
    await sync()
    await expectKept({ isPending: true })
  })

  test('a renewed consent whose removals come a page before the additions', async () => {
    const { item, ids, sync, expectKept } = await editPending()
    item.renewAccount(ids[0] ?? '', 'new')
    item.pageMax = 1
    expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 1 })
    await expectKept({ isPending: true })
  })
})

describe('several pages', () => {
  const rows = 1_200

  async function linkMany() {
    const home = await linkItem(world)
    const ids = Array.from({ length: rows }, (_, index) =>
      home.bank.post({ date: daysAgo(index % 300), amount: `${index + 1}` }),
    )
    return { ...home, ids }
  }

  async function countOf({ person }: PlaidHome): Promise<number> {
    const { pool } = world.coffer.booted.database('ledger')
    const { count } = await pool.one(sql.type(z.object({ count: z.bigint() }))`
      SELECT count(*) FROM transactions
      WHERE account_id = ${person.accountId} AND deleted_at IS NULL`)
    return Number(count)
  }

  const loopItems = () =>
    world.coffer.booted.database('aggregator-sync').pool.any(sql.unsafe`SELECT FROM loop_items`)

  test('are read one after the other', async () => {
    const home = await linkMany()
    const { lastArrival } = await home.sync()
    expect(lastArrival).toMatchObject({ added: rows, skipped: 0 })
    expect(callsOf(home).filter((path) => path === '/transactions/sync')).toHaveLength(3)
    expect(await countOf(home)).toBe(rows)
    expect(await loopItems()).toEqual([])
    expect(home.item.overlaps).toEqual([])
  })

  test('that change meanwhile are read again; what they no longer list is removed', async () => {
    const home = await linkMany()
    const { item, bank, ids, sync } = home
    // The first transaction was in the page that this answer sends.
    const withdraw = changed((body) => {
      bank.remove(ids[0] ?? '')
      bank.post({ date: daysAgo(1), amount: '5000' })
      return body
    })
    item.fault(/sync$/, withdraw, 1)
    const { lastArrival } = await sync()
    expect(callsOf(home).filter((path) => path === '/transactions/sync')).toHaveLength(5)
    expect(lastArrival).toMatchObject({ added: rows + 1, removed: 1 })
    expect(await countOf(home)).toBe(rows)
    expect(await loopItems()).toEqual([])
  })
})

test('a bank account that gets another ID after it was read loses no transaction', async () => {
  const { bank, ids, item, list, sync } = await linkItem(world)
  bank.post({ date: daysAgo(30), amount: '10' })
  await sync()
  const renew = changed((body) => {
    const bank = item.bank(item.renewAccount(ids[0] ?? '', 'kept'))
    bank.post({ date: daysAgo(30), amount: '20' })
    return body
  })
  item.fault(/accounts\/get$/, renew, 1)
  expect((await sync()).lastArrival).toMatchObject({ added: 1, skipped: 0 })
  expect(await list()).toHaveLength(2)
})

test('an account that becomes known after its transactions were skipped loses none', async () => {
  const home = await linkItem(world)
  const stranger = { id: 'stranger', name: 'Renewed', mask: '7777' }
  home.item.addAccount(stranger)
  home.item.bank('stranger').post({ date: daysAgo(30), amount: '20' })
  expect((await home.sync()).lastArrival).toMatchObject({ added: 0, skipped: 1 })
  // Its ID is read again once, and after that no loop is caused by it.
  const read = callsOf(home)
  expect(read.filter((path) => path === '/accounts/get')).toHaveLength(2)
  home.item.bank('stranger').post({ date: daysAgo(30), amount: '30' })
  await home.sync()
  const calls = ['/accounts/get', '/transactions/sync', '/transactions/get']
  expect(callsOf(home, read.length)).toEqual(calls)
  const [, path = ''] = await home.createAccounts()
  expect((await home.sync()).lastArrival).toMatchObject({ added: 2, skipped: 0 })
  expect(await home.list(path)).toHaveLength(2)
  const { wholeRequestedAt, skippedAccounts } = await home.state()
  expect([wholeRequestedAt, skippedAccounts]).toEqual([null, []])
})

test('a transaction that only the last days had is removed with that of the bank', async () => {
  const { bank, item, list, sync } = await linkItem(world)
  bank.post({ date: daysAgo(3), amount: '10' })
  await sync()
  let id = ''
  const post = changed((body) => {
    id = bank.post({ date: daysAgo(1), amount: '20' })
    return body
  })
  item.fault(/transactions\/sync$/, post, 1)
  await sync()
  expect(await list()).toHaveLength(2)
  bank.remove(id)
  expect((await sync()).lastArrival).toMatchObject({ removed: 1 })
  expect((await list()).map(({ amount }) => amount)).toEqual([1_000])
})

test('a scheduled sync reads changes only; a requested one also the last days', async () => {
  const home = await linkItem(world)
  home.bank.post({ date: daysAgo(3), amount: '10' })
  const database = world.coffer.booted.database('aggregator-sync')
  await database.pool.query(sql.unsafe`
    UPDATE aggregator_links SET next_sync_at = now() WHERE link_id = ${home.linkId}`)
  const type = 'startDueAggregatorSyncs'
  await world.coffer.booted.workflows.start({ type, id: home.linkId, args: [] })
  await home.until(({ syncCount }) => syncCount === 1n)
  expect(callsOf(home)).toEqual(['/accounts/get', '/transactions/sync'])
  await home.sync()
  expect(callsOf(home, 2)).toEqual(['/accounts/get', '/transactions/sync', '/transactions/get'])
})

test('a requested sync repairs the last 14 days', async () => {
  const home = await linkItem(world)
  const recent = home.bank.post({ date: daysAgo(13), amount: '10' })
  home.bank.post({ date: daysAgo(20), amount: '20' })
  await home.sync()
  await home.forget([recent])
  expect(await home.list()).toHaveLength(1)
  await home.sync()
  expect(await home.list()).toHaveLength(2)
})

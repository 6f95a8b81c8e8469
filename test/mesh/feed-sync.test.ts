import { started } from '@coffer/host/testing/started'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { changed } from '../providers/faults.ts'
import { faults } from '../providers/feed-faults.ts'
import {
  addAccount,
  daysAgo,
  linkFeed,
  linkOne,
  type OneAccount,
  startFeedWorld,
} from './feed-world.ts'

const world = started(() => startFeedWorld())

beforeEach(() => {
  world.provider.accounts.splice(0)
})

test('the first sync imports all transactions and sets the balances', async () => {
  const { bank, sync, list, person, path } = await linkOne(world, { balance: '100.25' })
  bank.post({ id: 'old', date: '2019-05-01', amount: '-10', merchant: 'Old Shop' })
  bank.post({ id: 'pay', date: daysAgo(3), amount: '1234.56', merchant: null, description: 'PAY' })
  bank.pend({ id: null, date: daysAgo(1), amount: '-4.50', merchant: 'Cafe' })
  const health = await sync()
  expect(health).toMatchObject({ status: 'active', isSyncing: false, failuresInRow: 0 })
  expect(health.lastArrival).toMatchObject({ added: 3, changed: 0, matched: 0, removed: 0 })
  const [cafe, pay, old] = await list()
  expect(cafe).toMatchObject({ name: 'Cafe', amount: 450, isPending: true, source: 'feed' })
  expect(pay).toMatchObject({ name: 'PAY', amount: -123_456, isPending: false })
  expect(old).toMatchObject({ name: 'Old Shop', amount: 1_000, date: '2019-05-01T05:00:00Z' })
  expect(await person.get(`${path}/balances`)).toMatchObject({ current: 10_025, available: 10_025 })
})

/** Returns the stored version of a bank account, and the number of changes of its account. */
async function written({ person, bankAccountId }: OneAccount) {
  const { booted } = world.coffer
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
  const home = await linkOne(world)
  home.bank.post({ date: daysAgo(3), amount: '-10' })
  home.bank.pend({ id: null, date: daysAgo(1), amount: '-5' })
  await home.sync()
  const before = await written(home)
  home.bank.reorder(7)
  const { lastArrival } = await home.sync()
  expect(lastArrival).toMatchObject({ added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 })
  expect(await written(home)).toEqual(before)
})

test('changed, removed and repeated transactions follow the provider', async () => {
  const { bank, sync, list } = await linkOne(world)
  const [changed, removed, twice] = ['-10', '-20', '-30'].map((amount, ago) => {
    return bank.post({ date: daysAgo(ago), amount })
  }) as [string, string, string]
  bank.duplicate(twice)
  expect((await sync()).lastArrival).toMatchObject({ added: 3 })
  bank.change(changed, { amount: '-11', description: 'CARD CORRECTED' })
  bank.remove(removed)
  expect((await sync()).lastArrival).toMatchObject({ added: 0, changed: 1, removed: 1 })
  expect((await list()).map(({ amount }) => amount)).toEqual([1_100, 3_000])
  bank.post({ id: removed, date: daysAgo(1), amount: '-20' })
  expect((await sync()).lastArrival).toMatchObject({ changed: 1 })
  expect((await list()).map(({ amount }) => amount)).toEqual([1_100, 2_000, 3_000])
})

test('a transaction that the next list lacks for a moment is kept', async () => {
  const { bank, sync, list, provider } = { ...(await linkOne(world)), ...world }
  const late = bank.post({ date: daysAgo(1), amount: '-10' })
  bank.post({ date: daysAgo(2), amount: '-20' })
  await sync()
  bank.delay(late, 1)
  const before = provider.requests.length
  expect((await sync()).lastArrival).toMatchObject({ removed: 0 })
  expect(await list()).toHaveLength(2)
  const looks = provider.requests.slice(before).filter((path) => path.includes('/transactions'))
  expect(looks).toHaveLength(2)
})

test('an empty list removes nothing, and is a failure', async () => {
  const { bank, sync, list } = await linkOne(world)
  const ids = Array.from({ length: 11 }, (_, ago) => bank.post({ date: daysAgo(ago), amount: '1' }))
  await sync()
  for (const id of ids) bank.remove(id)
  const { lastError, failuresInRow, bankAccounts } = await sync()
  expect(lastError).toMatchObject({ code: 'empty-list', text: expect.stringContaining('11') })
  expect([failuresInRow, bankAccounts[0]?.lastError?.code]).toEqual([1, 'empty-list'])
  expect(await list()).toHaveLength(11)
})

test('a list that lacks most known transactions changes nothing, and is a failure', async () => {
  const { bank, sync, list } = await linkOne(world)
  const ids = Array.from({ length: 120 }, (_, n) => {
    return bank.post({ date: daysAgo(n % 20), amount: `-${n + 1}` })
  })
  await sync()
  const [kept, ...others] = ids.toReversed()
  for (const [n, id] of others.slice(0, 110).entries()) {
    bank.change(id, { id: `new-${id}`, amount: `-${n + 500}` })
  }
  const { lastError, lastArrival } = await sync()
  expect(lastError).toMatchObject({
    code: 'short-list',
    text: expect.stringContaining('110 of 120'),
  })
  expect(lastArrival).toMatchObject({ added: 120 })
  expect((await list()).length).toBeGreaterThan(0)
  for (const id of others.slice(0, 110)) bank.change(`new-${id}`, { id })
  bank.remove(kept ?? '')
  expect((await sync()).lastArrival).toMatchObject({ added: 0, removed: 1 })
})

test('transactions from before the list of the provider are kept', async () => {
  const { bank, sync, list } = await linkOne(world)
  const [old, gone] = [40, 10, 5].map((ago) => bank.post({ date: daysAgo(ago), amount: '-10' }))
  await sync()
  bank.remove(old ?? '')
  expect((await sync()).lastArrival).toMatchObject({ removed: 0 })
  bank.post({ date: daysAgo(20), amount: '-20' })
  bank.remove(gone ?? '')
  expect((await sync()).lastArrival).toMatchObject({ added: 1, removed: 1 })
  expect((await list()).map(({ amount }) => amount)).toEqual([1_000, 2_000, 1_000])
})

test('rows without an ID that can be stored are counted as skipped', async () => {
  const { bank, sync } = await linkOne(world)
  bank.post({ date: daysAgo(1), amount: '-10' })
  bank.post({ id: 'two\u0000lines', date: daysAgo(1), amount: '-11' })
  expect((await sync()).lastArrival).toMatchObject({ added: 1, skipped: 1 })
})

test('rows of another bank account are skipped and counted; then nothing is removed', async () => {
  const { bank, sync } = await linkOne(world)
  bank.post({ date: daysAgo(9), amount: '-10' })
  const gone = bank.post({ date: daysAgo(1), amount: '-11' })
  await sync()
  bank.remove(gone)
  bank.post({ date: daysAgo(2), amount: '-9' })
  const toOther = (body: string) => body.replace(/"\w+"(?=,"amount":-9,)/, '"other"')
  world.provider.fault(/transactions/, changed(toOther))
  const { status, lastArrival } = await sync()
  expect([status, lastArrival]).toMatchObject(['active', { added: 0, removed: 0, skipped: 1 }])
  world.provider.fault(/transactions/, null)
  expect((await sync()).lastArrival).toMatchObject({ added: 1, removed: 1, skipped: 0 })
})

test('of two accounts with one ID in the list, the first counts in every sync', async () => {
  const { sync, provider } = { ...(await linkOne(world)), ...world }
  provider.accounts.push({ ...provider.accounts[0]!, name: 'Twin', status: 'DISCONNECTED' })
  for (let times = 0; times < 2; times += 1) {
    const { bankAccounts } = await sync()
    expect(bankAccounts).toMatchObject([{ feedStatus: 'ACTIVE' }])
  }
})

describe('name, notes and envelope survive', () => {
  const cafe = { date: daysAgo(3), amount: '-4.50', merchant: 'Cafe Roma' }
  const edits = { name: 'Coffee with Ann', notes: 'her turn next' }

  /** Syncs a pending purchase and edits it. `expectKept` checks its edits and the given fields. */
  async function editPending(id?: string | null) {
    const home = await linkOne(world)
    const { person, path, bank } = home
    const handle = bank.pend(id === undefined ? cafe : { ...cafe, id })
    await home.sync()
    const [{ transactionId }] = await home.list()
    const spendingId = await createGoalIn(person, path, 2_000)
    await person.patch(`${path}/transactions/${transactionId}`, { ...edits, spendingId })
    const expectKept = async (fields: Json) => {
      const kept = { transactionId, ...edits, spendingId, spendingAmount: 450, ...fields }
      expect(await home.list()).toEqual([expect.objectContaining(kept)])
      const { currentAmount } = await person.get(`${path}/spending/${spendingId}`)
      expect(currentAmount).toBe(2_000 - fields.amount)
    }
    return { ...home, handle, expectKept }
  }

  test('a posting under another ID and day', async () => {
    const { bank, handle, sync, expectKept } = await editPending()
    bank.settle(handle, { id: 'posted', date: daysAgo(1), description: 'CAFE ROMA 0815' })
    expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 1, removed: 0 })
    await expectKept({ amount: 450, isPending: false, originalName: 'CAFE ROMA 0815' })
  })

  test('a posting under the same ID', async () => {
    const { bank, handle, sync, expectKept } = await editPending('same')
    bank.settle(handle, { id: 'same' })
    expect((await sync()).lastArrival).toMatchObject({ added: 0, changed: 1, removed: 0 })
    await expectKept({ amount: 450, isPending: false })
  })

  test('a posting that is listed after the pending transaction is gone', async () => {
    const { bank, handle, sync, list, expectKept } = await editPending(null)
    bank.remove(handle)
    expect((await sync()).lastArrival).toMatchObject({ removed: 1 })
    expect(await list()).toEqual([])
    bank.post({ ...cafe, id: 'posted' })
    expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 1 })
    await expectKept({ amount: 450, isPending: false })
  })

  test('a posting that is listed before the pending transaction goes', async () => {
    const { bank, handle, sync, expectKept } = await editPending()
    bank.post({ ...cafe, id: 'posted' })
    await sync()
    await expectKept({ amount: 450, isPending: false })
    bank.remove(handle)
    expect((await sync()).lastArrival).toMatchObject({ added: 0, removed: 0 })
    await expectKept({ amount: 450, isPending: false })
  })

  test('a correction of the amount', async () => {
    const { bank, handle, sync, expectKept } = await editPending('same')
    bank.settle(handle, { id: 'same', amount: '-5.50' })
    await sync()
    await expectKept({ amount: 550, spendingAmount: 550 })
  })
})

test('a pending transaction that is listed after its posting is not a second one', async () => {
  const { bank, sync, list } = await linkOne(world)
  const cafe = { date: daysAgo(2), amount: '-4.50', merchant: 'Cafe Roma' }
  bank.post(cafe)
  await sync()
  bank.pend({ ...cafe, date: daysAgo(3), id: null })
  expect((await sync()).lastArrival).toMatchObject({ added: 0, matched: 1 })
  expect(await list()).toHaveLength(1)
})

test('a list that is too large is read by parts', async () => {
  const { bank, sync, list, provider } = { ...(await linkOne(world)), ...world }
  for (const ago of [1, 400, 900]) bank.post({ date: daysAgo(ago), amount: '-1' })
  provider.fault(/transactions\?include_pending=true$/, faults.huge(11 * 2 ** 20))
  const { lastArrival } = await sync()
  provider.fault(/transactions\?include_pending=true$/, null)
  expect(lastArrival).toMatchObject({ added: 3, removed: 0 })
  expect(await list()).toHaveLength(3)
})

test('a new account of the provider becomes a candidate, and known ones follow it', async () => {
  const { feedId, feedLinkId, sync, person } = await linkOne(world)
  const { provider } = world
  provider.accounts.splice(0, 1, { ...provider.accounts[0]!, name: 'Renamed', balance: '7.00' })
  const added = addAccount(provider, { currency: 'JPY', balance: '50' })
  await sync()
  const [fresh, known] = await person.get(`/feed/link/${feedLinkId}/bank_accounts`)
  expect(fresh).toMatchObject({ feedId: added, status: 'inactive', currency: 'JPY' })
  expect(fresh).toMatchObject({ currentBalance: 50, createdBy: 'user_system' })
  expect(known).toMatchObject({ feedId, status: 'active', name: 'Renamed', currentBalance: 700 })
})

test('accounts that the provider has lost are not synced, and say why', async () => {
  const { provider } = world
  const feedIds = [addAccount(provider), addAccount(provider), addAccount(provider)]
  const home = await linkFeed(world, feedIds)
  provider.accounts.splice(0, 2, { ...provider.accounts[0]!, status: 'DISCONNECTED' })
  const { status, lastArrival, bankAccounts, lastError } = await home.sync()
  expect([status, lastArrival?.added]).toEqual(['active', 0])
  const advice = expect.stringMatching(/^Renew the connection.* Syncs are repeated\.$/)
  expect(lastError).toMatchObject({ code: expect.stringMatching(/^disc|^account-m/), advice })
  expect(bankAccounts.map(({ lastError, feedStatus }) => [lastError?.code, feedStatus])).toEqual([
    ['disconnected', 'DISCONNECTED'],
    ['account-missing', 'ACTIVE'],
    [undefined, 'ACTIVE'],
  ])
  const list: Json[] = await home.person.get(`/bank_accounts?link_id=${home.linkId}`)
  const statuses = home.bankAccountIds.map((id) => list.find((one) => one.bankAccountId === id))
  expect(statuses.map(({ status }) => status)).toEqual(['active', 'inactive', 'active'])
})

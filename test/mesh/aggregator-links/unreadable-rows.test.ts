import { requestByOperator } from '@coffer/aggregator-sync/syncs/operator.service'
import { started } from '@coffer/host/testing/started'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { createGoalIn } from '../../harness/goal.ts'
import type { Json } from '../../harness/person.ts'
import { changed } from '../../providers/faults.ts'
import { daysAgo } from '../feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from '../plaid-world.ts'

const world = started(() => startPlaidWorld())

/** Lets answers list a row that cannot be read, so many times. `fields` replace those of it. */
function garble(
  { item }: PlaidHome,
  id: string,
  { times = 1, fields = { date: '2026-11-31' } }: { times?: number; fields?: object } = {},
): void {
  let left = times
  const garbled = (row: Json): Json => {
    if (row.transaction_id !== id || left === 0) return row
    left -= 1
    return { ...row, ...fields }
  }
  const change = changed((body) =>
    JSON.stringify(
      JSON.parse(body, (_, value) => (value?.transaction_id ? garbled(value) : value)),
    ),
  )
  item.fault(/transactions\/(sync|get)$/, change)
}

/** Requests a sync that reads all transactions after the changes. */
async function syncWhole({ linkId, sync }: PlaidHome) {
  const database = world.coffer.booted.database('aggregator-sync')
  await requestByOperator(database, linkId, new Date(), { isWhole: true })
  return sync()
}

/** Lets a day pass for the unreadable rows of a link. */
async function passDay({ linkId }: PlaidHome): Promise<void> {
  await world.coffer.booted.database('aggregator-sync').pool.query(sql.unsafe`
    UPDATE aggregator_links SET incomplete_since = incomplete_since - interval '1 day',
      reread_at = reread_at - interval '1 day' WHERE link_id = ${linkId}`)
}

const shop = { date: daysAgo(30), amount: '12.50', name: 'Shop' }
const edits = { name: 'Mine', notes: 'a present' }

/** Links an item with a purchase that its user has named and assigned to an envelope. */
async function linkEdited(isPending = false) {
  const home = await linkItem(world)
  const { person, bank } = home
  const [path = ''] = home.paths
  // Never changed: a whole loop that lists nothing of an account removes nothing.
  bank.post({ date: daysAgo(40), amount: '0.50', name: 'Anchor' })
  const id = isPending ? bank.pend(shop) : bank.post(shop)
  await home.sync()
  const find = async () => {
    const listed: Json[] = await home.list()
    return listed.find(({ amount }) => amount === 1_250) ?? null
  }
  const { transactionId } = (await find()) ?? {}
  const spendingId = await createGoalIn(person, path, 5_000)
  await person.patch(`${path}/transactions/${transactionId}`, { ...edits, spendingId })
  const expectKept = async (fields: Json = {}) => {
    const kept = { transactionId, ...edits, spendingId, spendingAmount: 1_250, ...fields }
    expect(await find()).toMatchObject(kept)
    expect(await person.get(`${path}/spending/${spendingId}`)).toMatchObject({
      currentAmount: 3_750,
    })
  }
  return { ...home, id, find, expectKept }
}

const said = { code: 'rows-unreadable', text: expect.stringContaining('could not be read') }

describe('an answer with an unreadable row', () => {
  test.each([true, false])(
    'removes nothing by absence, over its pages; the cursor is refused: %j',
    async (isRefused) => {
      const home = await linkEdited()
      const lost = home.bank.post({ ...shop, amount: '7', date: daysAgo(60) })
      await home.sync()
      home.bank.remove(lost)
      home.item.pageMax = 1
      garble(home, home.id)
      // Plaid lists a removal after a cursor only, and so not to a client whose cursor it refuses.
      home.item.refuseCursors()
      const { lastError, lastArrival } = await (isRefused ? home.sync() : syncWhole(home))
      await home.expectKept()
      expect(lastError).toMatchObject(said)
      expect(lastArrival).toMatchObject({ removed: 0, skipped: 1 })
      await passDay(home)
      expect((await home.sync()).lastArrival).toMatchObject({ removed: 1, skipped: 0 })
      expect((await home.health()).lastError).toBeUndefined()
      await home.expectKept()
    },
  )

  test('removes what it states as removed', async () => {
    const home = await linkEdited()
    const other = home.bank.post({ ...shop, amount: '7' })
    garble(home, other)
    home.bank.remove(home.id)
    expect((await home.sync()).lastArrival).toMatchObject({ removed: 1, skipped: 1 })
    expect(await home.find()).toBeNull()
  })

  test('is read again from the same cursor, soon and until the row arrives', async () => {
    const home = await linkEdited()
    const { cursor } = await home.state()
    home.bank.post({ ...shop, amount: '8' })
    home.bank.change(home.id, { description: 'CORRECTED' })
    garble(home, home.id, { times: 2, fields: { amount: [12.5] } })
    for (let count = 0; count < 2; count += 1) {
      const { lastArrival, lastError } = await home.sync()
      expect(lastArrival).toMatchObject({ skipped: 1, removed: 0 })
      expect(lastError).toMatchObject(said)
      expect((await home.state()).cursor).toBe(cursor)
      await home.expectKept({ originalName: 'Shop' })
    }
    expect((await home.sync()).lastArrival).toMatchObject({ changed: 1, skipped: 0 })
    await home.expectKept({ originalName: 'CORRECTED' })
    expect(await home.state()).toMatchObject({ incompleteSince: null, faultCode: null })
  })

  test('that stays so is passed after a day, and all is read again once a day', async () => {
    const home = await linkEdited()
    const id = home.bank.post({ ...shop, amount: '8' })
    garble(home, id, { times: 4 })
    await home.sync()
    await passDay(home)
    // The changes, then all transactions.
    expect((await home.sync()).lastError).toMatchObject(said)
    expect((await home.sync()).lastError).toMatchObject(said)
    await passDay(home)
    expect((await home.sync()).lastError).toMatchObject(said)
    expect(await home.list()).toHaveLength(2)
    await passDay(home)
    const { lastError, lastArrival } = await home.sync()
    expect([lastError, lastArrival?.added]).toEqual([undefined, 1])
    expect(await home.list()).toHaveLength(3)
    await home.expectKept()
  })

  test('that is an unreadable removal is read again', async () => {
    const home = await linkEdited()
    home.bank.remove(home.id)
    garble(home, home.id, { fields: { transaction_id: [1] } })
    await home.sync()
    await home.expectKept()
    await home.sync()
    expect(await home.find()).toBeNull()
  })
})

describe('a pending purchase whose posting is unreadable keeps its edits', () => {
  test.each([
    ['pages apart', {}],
    ['with a pending ID that is unreadable too', { pending_transaction_id: [1] }],
  ])('%s', async (_, fields) => {
    const home = await linkEdited(true)
    const posted = home.bank.settle(home.id, { description: 'POSTED' })
    home.item.pageMax = 1
    garble(home, posted, { times: 2, fields: { date: '2026-11-31', ...fields } })
    expect((await home.sync()).lastArrival).toMatchObject({ removed: 0, skipped: 1 })
    await home.expectKept({ isPending: true })
    await home.sync()
    await home.expectKept({ isPending: true })
    expect((await home.sync()).lastArrival).toMatchObject({ matched: 1, skipped: 0 })
    await home.expectKept({ isPending: false, originalName: 'POSTED' })
  })
})

test('a balance that is unreadable changes nothing', async () => {
  const { bank, item, paths, person, sync } = await linkItem(world)
  const [path = ''] = paths
  await sync()
  bank.setBalances({ current: '70', available: null })
  item.fault(
    /accounts\/get$/,
    changed((body) => body.replace(/"current":[^,]*/, '"current":["70"]')),
    1,
  )
  await sync()
  // A missing one is 0.
  const before = { current: 11_000, available: 0 }
  expect(await person.get(`${path}/balances`)).toMatchObject(before)
  await sync()
  expect(await person.get(`${path}/balances`)).toMatchObject({ current: 7_000, available: 0 })
})

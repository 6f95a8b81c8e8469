import { settings } from '@coffer/aggregator-sync/config'
import type { Aggregator, ChangePage } from '@coffer/aggregator-sync/provider/aggregator'
import { readAnswer } from '@coffer/aggregator-sync/provider/plaid-answer'
import { plaidFailure } from '@coffer/aggregator-sync/provider/plaid-fault'
import { pageActivities } from '@coffer/aggregator-sync/syncs/page.activities'
import { runHere } from '@coffer/cli/testing/run-here'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { readSettings } from '@coffer/host/settings'
import { eventually } from '@coffer/host/testing/boot'
import { silentLog } from '@coffer/host/testing/silent-log'
import { started } from '@coffer/host/testing/started'
import type { Database } from '@coffer/kit/database/database'
import { createSyncLoad } from '@coffer/sync-kit/syncs/sync-load.service'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'slonik'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { PlaidRefusal } from '../providers/plaid/errors.ts'
import type { StoredItem } from '../providers/plaid/item.ts'
import { isLong } from '../seed.ts'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from './plaid-world.ts'

const world = started(() => startPlaidWorld())

/** A purchase with an amount of its own, by which it is found in the ledger. */
interface Purchase {
  id: string
  amount: number
  isPending: boolean
  /** The user's name for it. */
  name: string | null
}

const bankStep = fc.record({
  kind: fc.constantFrom('post', 'pend', 'settle', 'change', 'remove'),
  pick: fc.nat(99),
})
type BankStep = typeof bankStep extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  { arbitrary: bankStep, weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('edit' as const), pick: fc.nat(99) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('refuse' as const) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      /** Changes at the bank after each page that is read. */
      during: fc.array(fc.option(bankStep), { maxLength: 6 }),
      /** Number of the cursor that is not saved, because the process ends before. */
      crashAt: fc.option(fc.nat(8)),
      /** Number of the row that cannot be read in this sync, of all its pages. */
      garbledAt: fc.option(fc.nat(6)),
    }),
    weight: 2,
  },
)

/** The bank account of a home, as its bank and its user know it. */
function createBook({ bank }: PlaidHome) {
  const live: Purchase[] = []
  // Never removed: a whole loop that lists nothing removes nothing.
  bank.post({ date: daysAgo(1), amount: '0.50', name: 'Anchor' })
  let amounts = 0
  const nextAmount = () => {
    amounts += 1
    return amounts
  }
  const act = ({ kind, pick }: BankStep): void => {
    const amount = nextAmount()
    const of = { date: daysAgo(pick % 20), amount: `${amount}`, name: `Shop ${amount}` }
    const [picked] = live.slice(pick % Math.max(1, live.length))
    if (kind === 'post' || kind === 'pend' || !picked) {
      const isPending = kind === 'pend'
      const id = isPending ? bank.pend(of) : bank.post(of)
      live.push({ id, amount, isPending, name: null })
    } else if (kind === 'change') {
      bank.change(picked.id, { amount: `${amount}` })
      picked.amount = amount
    } else if (kind === 'settle' && picked.isPending) {
      Object.assign(picked, { id: bank.settle(picked.id), isPending: false })
    } else {
      bank.remove(picked.id)
      live.splice(live.indexOf(picked), 1)
    }
  }
  return { live, act }
}

interface Reading {
  onRead: () => void
  /** Returns a row as it is sent. */
  send: (row: object) => object
}

/** An item that is read without the network, two changes a page. Three pages reach the limit. */
function aggregatorOf(item: StoredItem, { onRead, send }: Reading): Aggregator {
  let pages = 0
  const readChanges = async (_item: unknown, cursor: string | null): Promise<ChangePage> => {
    pages += 1
    if (pages > 3) throw plaidFailure('rate-limited')
    try {
      const { log, isVisible } = item
      const page = log.read({ cursor: cursor ?? '', count: 2, isVisible })
      const [added, modified] = [page.added.map(send), page.modified.map(send)]
      const status = { transactions_update_status: item.readiness }
      const body = JSON.stringify({ ...page, added, modified, ...status })
      const read = readAnswer(Buffer.from(body), 'transactionsSync')
      if (read === null || read === 'too-large') throw new Error('the page cannot be read')
      onRead()
      return read
    } catch (error) {
      if (!(error instanceof PlaidRefusal)) throw error
      throw plaidFailure(error.code === 'INVALID_FIELD' ? 'cursor-refused' : 'mutated')
    }
  }
  return { readChanges } as Partial<Aggregator> as Aggregator
}

const crash = new Error('the process ends')

interface SyncStep {
  during: (BankStep | null)[]
  crashAt: number | null
  garbledAt: number | null
}

/** Runs the pages of syncs of a home in this process, where they may crash. */
function createReader(home: PlaidHome, book: ReturnType<typeof createBook>) {
  const { booted } = world.coffer
  const database = booted.database('aggregator-sync')
  const keys = createKeyEncryption(readSettings(keySettings, {}), booted.keysFolder)
  let runs = 0
  return async ({ during, crashAt, garbledAt }: SyncStep) => {
    runs += 1
    const run = { ...home.key, runId: `run/${runs}`, isManual: true }
    await database.pool.query(sql.unsafe`
      UPDATE aggregator_links SET sync_run_id = ${run.runId} WHERE link_id = ${run.linkId}`)
    const script = [...during]
    const onRead = () => {
      const happens = script.shift()
      if (happens) book.act(happens)
    }
    let rows = 0
    const send = (row: object) => {
      rows += 1
      return rows - 1 === garbledAt ? { ...row, date: '2026-11-31' } : row
    }
    let saves = 0
    const crashing: Database = {
      ...database,
      transaction: (work) => {
        saves += 1
        return saves - 1 === crashAt ? Promise.reject(crash) : database.transaction(work)
      },
    }
    const { importPages } = pageActivities({
      config: readSettings(settings, {}),
      database: crashing,
      mesh: booted.host.mesh,
      signer: loadSigner(booted.keysFolder, 'aggregator-sync'),
      secrets: createSecrets(keys),
      broker: booted.broker,
      log: silentLog,
      clock: () => new Date(),
      load: createSyncLoad({ share: 1 }),
      openAggregator: async () => aggregatorOf(home.item as StoredItem, { onRead, send }),
    })
    for (let steps = 0; steps < 50; steps += 1) {
      const pages = await importPages(run).catch((error: unknown) => {
        if (error !== crash) throw error
        return null
      })
      if (pages === null) return
      if (pages.kind !== 'done') throw new Error(`the pages are ${pages.kind}`)
      if (pages.next === 'end') return
    }
    throw new Error('the pages have no end')
  }
}

async function runScript(steps: (typeof step extends fc.Arbitrary<infer Value> ? Value : never)[]) {
  const home = await linkItem(world)
  const { person } = home
  const [path = ''] = home.paths
  // Imports need the timezone of the account, which arrives as an event.
  const ledger = world.coffer.booted.database('ledger')
  const known = sql.unsafe`
    SELECT FROM account_settings WHERE account_id = ${person.accountId}`
  await eventually(() => ledger.pool.exists(known), Boolean)
  const spendingId = await createGoalIn(person, path, 1_000)
  const book = createBook(home)
  const sync = createReader(home, book)
  const edit = async (pick: number) => {
    const listed: Json[] = await home.list()
    const [shown] = listed.slice(pick % Math.max(1, listed.length))
    const bought = book.live.find(({ amount }) => amount * 100 === shown?.amount)
    if (!shown || !bought) return
    bought.name = `Mine ${bought.id}`
    await person.patch(`${path}/transactions/${shown.transactionId}`, {
      name: bought.name,
      spendingId,
    })
  }
  for (const one of steps) {
    if (one.kind === 'sync') await sync(one)
    else if (one.kind === 'edit') await edit(one.pick)
    else if (one.kind === 'refuse') home.item.refuseCursors()
    else book.act(one)
  }
  // All transactions once more: a whole loop with an unreadable row is repeated after a day.
  const { pool } = world.coffer.booted.database('aggregator-sync')
  await pool.query(sql.unsafe`
    UPDATE aggregator_links SET whole_requested_at = now() WHERE link_id = ${home.linkId}`)
  await sync({ during: [], crashAt: null, garbledAt: null })
  const listed: Json[] = await home.list()
  const others = listed.filter(({ amount }) => amount !== 50)
  const shown = others.map(({ amount, isPending, name, spendingId: envelope }) => ({
    amount: amount / 100,
    isPending,
    name: envelope ? name : null,
  }))
  const expected = book.live.map(({ amount, isPending, name }) => ({ amount, isPending, name }))
  const byAmount = (one: { amount: number }, other: { amount: number }) => one.amount - other.amount
  expect(shown.toSorted(byAmount)).toEqual(expected.toSorted(byAmount))
  const left = sql.unsafe`SELECT FROM loop_items WHERE link_id = ${home.linkId}`
  expect(await pool.any(left)).toEqual([])
}

test('a whole sync of an operator repairs old transactions, and keeps edits', async () => {
  const { booted, dataDir } = world.coffer
  const home = await linkItem(world)
  const { bank, person, linkId, list } = home
  const lost = bank.post({ date: daysAgo(60), amount: '10', name: 'Lost' })
  bank.post({ date: daysAgo(61), amount: '20', name: 'Shop' })
  await home.sync()
  const shop = (await list()).find(({ amount }) => amount === 2_000)
  const path = `${home.paths[0]}/transactions/${shop?.transactionId}`
  await person.patch(path, { name: 'Mine', notes: 'a present' })
  await home.forget([lost])
  await home.sync()
  expect(await list()).toMatchObject([{ name: 'Mine' }])
  const settings = { COFFER_DATABASE_URL: booted.databaseUrl, COFFER_DATA_DIR: dataDir }
  const sync = () => runHere(['sync', linkId, '--whole'], settings)
  expect(await sync()).toMatchObject({ code: 0, stderr: '' })
  const repaired = await list()
  expect(repaired).toMatchObject([{ amount: 1_000 }, { name: 'Mine', notes: 'a present' }])
  const counts = 'added 0, changed 0, matched 0, removed 0, skipped 0\n'
  expect(await sync()).toEqual({ code: 0, stdout: counts, stderr: '' })
  expect(await list()).toEqual(repaired)
  expect(await home.state()).toMatchObject({ wholeRequestedAt: null, wholeLoopStartedAt: null })
})

test('any pages, restarts and crashes end in the state of the bank, with the edits', async () => {
  const script = fc.array(step, { minLength: 8, maxLength: 24, size: 'max' })
  const numRuns = isLong ? 12 : 4
  await fc.assert(fc.asyncProperty(script, runScript), { numRuns, endOnFailure: true })
})

import { readFile } from 'node:fs/promises'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { silentLog } from '@coffer/host/testing/silent-log'
import { newId } from '@coffer/kit/values/id'
import { SimilarService, type TransactionCluster } from '@coffer/proto/ledger/v1/similar'
import { Code } from '@connectrpc/connect'
import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { startSearchers } from '../../src/similar/cluster-pool.client.ts'
import { similarActivities } from '../../src/similar/similar.activities.ts'
import { partsOf } from '../imports/file-parts.ts'
import { neighbours } from '../neighbours.ts'

const searchers = startSearchers()
const booted = booting([ledger, ...neighbours()])

afterAll(async () => {
  await searchers[Symbol.asyncDispose]()
})

const netflix = 'POS DEBIT 1234 NETFLIX.COM LOS GATOS CA'
const branch = 'POS DEBIT 1234 CARIBOU COFFE NORTH BRANCH MN'
const electric = 'ACH Debit - Electric Company'
const forest = 'POS DEBIT 1234 CARIBOU COFFEE FOREST LAKE MN'
const paycheck = 'Paycheck ACME INC'

/** Creates transactions on consecutive days, the oldest first. Returns their IDs. */
async function add(home: Household, names: string[], firstDay = 1): Promise<string[]> {
  const { transactions, bankAccountId, as } = home
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const date = timestampFromDate(new Date(Date.UTC(2026, 0, firstDay + index, 6)))
    const body = { bankAccountId, amount: 500n, date, name }
    const { transaction } = await transactions.createTransaction(body, as)
    ids.push(transaction?.transactionId ?? '')
  }
  return ids
}

/**
 * Searches for similar transactions in all bank accounts that have changed since their last search,
 * even if the change was just now.
 */
async function search(): Promise<void> {
  const deps = { database: booted.database('ledger'), clock: () => new Date(), log: silentLog }
  await similarActivities({ ...deps, searchers, quietMs: 0 }).clusterWaiting(null)
}

/**
 * Repeats the search until the cluster of a transaction is as expected. Returns the cluster, null
 * if the transaction has none.
 */
function clusterOf(
  { bankAccountId, as }: Pick<Household, 'bankAccountId' | 'as'>,
  transactionId: string,
  isExpected: (cluster: TransactionCluster | null) => boolean,
): Promise<TransactionCluster | null> {
  const similar = booted.client('ledger', SimilarService)
  return eventually(async () => {
    await search()
    return (await similar.getCluster({ bankAccountId, transactionId }, as)).cluster ?? null
  }, isExpected)
}

const withMembers = (count: number) => (cluster: TransactionCluster | null) =>
  cluster?.members.length === count

/** Returns the instant at which the cluster last changed, in ms since the epoch. */
const updated = (cluster: TransactionCluster | null) =>
  cluster?.updatedAt ? timestampDate(cluster.updatedAt).getTime() : Number.NaN

test('similar transactions are found after they are created by hand', async () => {
  const home = await createHousehold(booted)
  const names = [paycheck, netflix, forest, electric, branch, netflix]
  const [pay = '', n1 = '', c1 = '', power = '', c2 = '', n2 = ''] = await add(home, names)
  const found = await clusterOf(home, n1, withMembers(2))
  expect(found).toMatchObject({
    bankAccountId: home.bankAccountId,
    signature: 'f73cece4cd90ff208772fd8e74a85c89ea29b21bc40741a95dd305b5c6c55ffd',
    centroid: n1,
    name: 'NETFLIX.COM LOS GATOS',
    originalName: 'NETFLIX.COM LOS GATOS',
    members: [n2, n1],
    merchant: [
      { word: 'NETFLIX.COM', sanitized: 'netflixcom', order: 2, rank: 577, count: 2 },
      { word: 'LOS', sanitized: 'los', order: 3, rank: 577, count: 2 },
      { word: 'GATOS', sanitized: 'gatos', order: 4, rank: 577, count: 2 },
    ],
  })
  expect(found?.transactionClusterId).toMatch(/^tcl_/)
  expect(found?.debug.map(({ sanitized, rank }) => [sanitized, rank])).toEqual([
    ['gatos', 577],
    ['los', 577],
    ['netflixcom', 577],
    ['pos', 40],
  ])
  expect(found?.debug[0]?.value).toBeCloseTo(1.1416, 4)
  expect(await clusterOf(home, n2, withMembers(2))).toEqual(found)
  expect(await clusterOf(home, c2, withMembers(2))).toMatchObject({ members: [c2, c1] })
  const similar = booted.client('ledger', SimilarService)
  for (const transactionId of [pay, power]) {
    const { bankAccountId, as } = home
    expect((await similar.getCluster({ bankAccountId, transactionId }, as)).cluster).toBeUndefined()
  }
})

test('a cluster keeps its ID and creation date when members are added', async () => {
  const home = await createHousehold(booted)
  const { transactions, bankAccountId, as } = home
  // Equal texts are equally central: the one with the smallest ID, the oldest, stays the centroid.
  const [first = '', , other = ''] = await add(home, [netflix, netflix, paycheck, electric])
  const before = await clusterOf(home, first, withMembers(2))
  await add(home, [netflix], 20)
  const after = await clusterOf(home, first, withMembers(3))
  expect(after).toMatchObject({
    transactionClusterId: before?.transactionClusterId,
    createdAt: before?.createdAt,
    name: before?.name,
  })
  expect(updated(after)).toBeGreaterThan(updated(before))
  const [newest = '', middle = ''] = after?.members ?? []
  await transactions.deleteTransaction({ bankAccountId, transactionId: newest, soft: true }, as)
  await transactions.deleteTransaction({ bankAccountId, transactionId: middle, soft: false }, as)
  expect(await clusterOf(home, first, (cluster) => cluster === null)).toBeNull()
  expect(await clusterOf(home, other, () => true)).toBeNull()
})

test('the rows of a file are compared with stored transactions', async () => {
  const home = await createHousehold(booted)
  const content = await readFile(new URL('../../../../test/data/checking.qfx', import.meta.url))
  const [mine = ''] = await add(home, ['POS DEBIT 1234 ALDI 72045 MINNEAPOLIS MN'])
  const { uploads, bankAccountId, as } = home
  const file = { name: 'a.qfx', contentType: 'application/octet-stream', content }
  await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  const found = await clusterOf(home, mine, (cluster) => cluster !== null)
  expect(found?.name).toMatch(/ALDI/)
  const Name = z.object({ name: z.string() })
  const names = await booted.database('ledger').pool.anyFirst(sql.type(Name)`
    SELECT original_name AS name FROM transactions WHERE account_id = ${home.accountId}
      AND transaction_id = ANY(${sql.array(found?.members ?? [], 'text')})`)
  expect(names.length).toBeGreaterThan(1)
  for (const name of names) expect(name).toMatch(/ALDI/)
})

test('an unknown transaction, or one of another account, is not found', async () => {
  const home = await createHousehold(booted)
  const [transactionId = ''] = await add(home, [netflix])
  const similar = booted.client('ledger', SimilarService)
  const { bankAccountId, as } = home
  const stranger = await createHousehold(booted)
  for (const [key, caller] of [
    [{ bankAccountId, transactionId: newId('txn') }, as],
    [{ bankAccountId: newId('bac'), transactionId }, as],
    [{ bankAccountId: stranger.bankAccountId, transactionId }, stranger.as],
    [{ bankAccountId, transactionId }, stranger.as],
  ] as const) {
    await expect(similar.getCluster(key, caller)).rejects.toMatchObject({ code: Code.NotFound })
  }
})

test('clusters are not found under a deleted link', async () => {
  const home = await createHousehold(booted)
  const [transactionId = ''] = await add(home, [netflix, netflix, paycheck, electric])
  await clusterOf(home, transactionId, withMembers(2))
  await home.links.deleteLink({ linkId: home.linkId }, home.as)
  await expect(clusterOf(home, transactionId, () => true)).rejects.toMatchObject({
    code: Code.NotFound,
  })
  const Count = z.object({ count: z.bigint() })
  const left = () =>
    booted.database('ledger').pool.oneFirst(sql.type(Count)`
      SELECT count(*) AS count FROM transaction_clusters WHERE account_id = ${home.accountId}`)
  expect(await eventually(left, (count) => count === 0n)).toBe(0n)
})

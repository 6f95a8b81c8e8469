import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { untilLockAwaited } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { silentLog } from '@coffer/host/testing/silent-log'
import { refused, unavailable } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import type { ClusterInput } from '../../src/similar/cluster-input.ts'
import { similarActivities } from '../../src/similar/similar.activities.ts'
import { endWaitingSearch, listWaitingSearches } from '../../src/similar/waiting-search.sql.ts'
import { importFile, undo } from '../imports/uploading.ts'
import { neighbours } from '../neighbours.ts'
import { aRow, assign, syncedHome } from '../syncs/syncing.ts'

const booted = booting([ledger, ...neighbours()])

type Key = Pick<Household, 'accountId' | 'bankAccountId'>

const tables = () => booted.database('ledger')
const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const always = 2n ** 53n
const none = { accountId: '', bankAccountId: '' }

/**
 * Returns the bank account's version, and that of its first change since its last search: null if
 * there is none.
 */
function markOf({ accountId, bankAccountId }: Key) {
  const Row = z.object({ version: z.bigint(), unsearchedFrom: z.bigint().nullable() })
  return tables().pool.one(sql.type(Row)`
    SELECT version, unsearched_from AS "unsearchedFrom" FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
}

/**
 * Clears `unsearched_from`, calls `work`, and returns whether `work` has set it again: the bank
 * account then needs a search.
 */
async function asks(key: Key, work: () => Promise<unknown>): Promise<boolean> {
  await endWaitingSearch(tables(), { ...key, version: always })
  await work()
  return (await markOf(key)).unsearchedFrom !== null
}

/**
 * Returns the IDs of the given bank accounts that need a search: their last change has at most the
 * version `quietUpTo`, or their first one since the last search at most `waitedUpTo`.
 */
async function due(
  homes: Key[],
  { quietUpTo = 0n, waitedUpTo = 0n, after = none, limit = 1000 } = {},
): Promise<string[]> {
  const waiting = await listWaitingSearches(tables(), { after, limit, quietUpTo, waitedUpTo })
  const ids = homes.map(({ bankAccountId }) => bankAccountId)
  return waiting.map(({ bankAccountId }) => bankAccountId).filter((id) => ids.includes(id))
}

function post({ transactions, bankAccountId, as }: Household, name = 'Tea') {
  return transactions.createTransaction({ bankAccountId, amount: 70n, date, name }, as)
}

test('changes of fields that a search reads need a search, others do not', async () => {
  const home = await createHousehold(booted)
  const { transactions, envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  const expense = { bankAccountId, spendingId, spendingType: 'expense' }
  expect(await asks(home, () => envelopes.openEnvelope(expense, as))).toBe(false)
  const move = { bankAccountId, toSpendingId: spendingId, amount: 5n }
  expect(await asks(home, () => envelopes.transfer(move, as))).toBe(false)
  let transactionId = ''
  const posting = async () => {
    transactionId = (await post(home)).transaction?.transactionId ?? ''
  }
  expect(await asks(home, posting)).toBe(true)
  const key = { bankAccountId, transactionId }
  const later = timestampFromDate(new Date('2026-03-03T06:00:00Z'))
  const patch = { name: 'Coffee', amount: 80n, spendingId, date: later }
  for (const [path, isAsked] of [
    ['name', false],
    ['amount', false],
    ['spending_id', false],
    ['date', true],
  ] as const) {
    const changed = { ...key, ...patch, updateMask: { paths: [path] } }
    const isAskedNow = await asks(home, () => transactions.updateTransaction(changed, as))
    expect([path, isAskedNow]).toEqual([path, isAsked])
  }
  for (const soft of [true, false]) {
    await posting()
    const deletion = { bankAccountId, transactionId, soft }
    expect(await asks(home, () => transactions.deleteTransaction(deletion, as))).toBe(true)
  }
  expect(await asks(home, () => envelopes.closeEnvelope({ bankAccountId, spendingId }, as))).toBe(
    false,
  )
})

test('a sync that adds, removes or renames transactions needs a search', async () => {
  const home = await syncedHome(booted)
  const row = aRow()
  expect(await asks(home, () => home.brings(row))).toBe(true)
  expect(await asks(home, () => home.brings(row))).toBe(false)
  const dearer = { ...row, amount: 1300n }
  expect(await asks(home, () => home.brings(dearer))).toBe(false)
  expect(await asks(home, () => home.brings({ ...dearer, merchantName: 'Café' }))).toBe(true)
  const [one] = await home.all()
  expect(await asks(home, () => assign(home, one?.transactionId, { name: 'Mine' }))).toBe(false)
  expect(await asks(home, () => home.loses(row.providerTransactionId))).toBe(true)
})

test('the import of a file needs a search, and so does its undo', async () => {
  const home = await createHousehold(booted)
  let transactionUploadId = ''
  const importing = async () => {
    transactionUploadId = (await importFile(home, 'equal-rows.ofx')).transactionUploadId
  }
  expect(await asks(home, importing)).toBe(true)
  expect(await asks(home, () => undo(home, transactionUploadId))).toBe(true)
})

test('a bank account is due after a quiet time, or after a long wait', async () => {
  const homes = await Promise.all(Array.from({ length: 3 }, () => createHousehold(booted)))
  for (const home of homes) await post(home)
  const [first, busy, archived] = homes as [Household, Household, Household]
  const { unsearchedFrom } = await markOf(busy)
  await post(busy)
  const { version } = await markOf(busy)
  expect((await markOf(busy)).unsearchedFrom).toBe(unsearchedFrom)
  await archived.accounts.archiveBankAccount({ bankAccountId: archived.bankAccountId }, archived.as)
  const firstVersion = (await markOf(first)).version
  expect(await due(homes, { quietUpTo: firstVersion - 1n })).toEqual([])
  expect(await due(homes, { quietUpTo: firstVersion })).toEqual([first.bankAccountId])
  expect(await due([busy], { quietUpTo: version - 1n })).toEqual([])
  expect(await due([busy], { quietUpTo: version })).toEqual([busy.bankAccountId])
  expect(await due([busy], { waitedUpTo: unsearchedFrom ?? 0n })).toEqual([busy.bankAccountId])
  const all = await listWaitingSearches(tables(), {
    after: none,
    limit: 1000,
    quietUpTo: always,
    waitedUpTo: 0n,
  })
  expect(await due([first, busy], { quietUpTo: always, after: all[0] ?? none })).not.toContain(
    all[0]?.bankAccountId,
  )
  expect(all.map(({ bankAccountId }) => bankAccountId)).not.toContain(archived.bankAccountId)
  await first.links.deleteLink({ linkId: first.linkId }, first.as)
  expect(await due(homes, { quietUpTo: always })).toEqual([busy.bankAccountId])
})

test('a change during a search needs another search', async () => {
  const home = await createHousehold(booted)
  await post(home)
  const { version } = await markOf(home)
  await post(home)
  await endWaitingSearch(tables(), { ...home, version })
  const { unsearchedFrom } = await markOf(home)
  expect(unsearchedFrom).toBe(version + 1n)
  // The end of a search of an older version does not clear `unsearched_from` of a later change.
  await endWaitingSearch(tables(), { ...home, version })
  expect((await markOf(home)).unsearchedFrom).toBe(version + 1n)
  await endWaitingSearch(tables(), { ...home, version: (await markOf(home)).version })
  expect((await markOf(home)).unsearchedFrom).toBeNull()
})

test('a save that is blocked while a search ends sets the mark again', async () => {
  const home = await createHousehold(booted)
  await post(home)
  const { version } = await markOf(home)
  const ended = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const ending = tables().transaction(async (tx) => {
    await endWaitingSearch({ ...tables(), pool: tx as never }, { ...home, version })
    ended.resolve()
    await released
  })
  await Promise.race([ended.promise, ending])
  const saving = post(home, 'Coffee')
  await untilLockAwaited(tables())
  release()
  await Promise.all([ending, saving])
  const after = await markOf(home)
  expect(after.unsearchedFrom).toBe(after.version)
  expect(after.version).toBeGreaterThan(version)
})

/**
 * Searches the bank accounts without a change for `quietMs`, by `search` instead of a worker
 * thread. Returns the name of the first transaction in each search.
 */
async function sweep(quietMs: number, search = (_name: string): never[] => []): Promise<string[]> {
  const searched: string[] = []
  const run = async ({ texts }: ClusterInput) => {
    const [name = ''] = texts.map((text) => text.split('\n')[0] ?? '')
    searched.push(name)
    return search(name)
  }
  const { clusterWaiting } = similarActivities({
    database: tables(),
    clock: () => new Date(),
    log: silentLog,
    quietMs,
    searchers: { run },
  })
  expect(await clusterWaiting(null)).toBeNull()
  return searched
}

test('a permanent error ends the wait for a search, a transient one does not', async () => {
  const [large, odd, unlucky] = [
    await createHousehold(booted),
    await createHousehold(booted),
    await createHousehold(booted),
  ]
  await Promise.all([post(large, 'Large'), post(odd, 'Odd'), post(unlucky, 'Unlucky')])
  await sweep(0, (name) => {
    if (name === 'Large') throw refused('too much')
    if (name === 'Odd') throw new TypeError('a bug')
    throw unavailable('busy')
  })
  expect((await markOf(large)).unsearchedFrom).toBeNull()
  expect((await markOf(odd)).unsearchedFrom).toBeNull()
  expect(await sweep(0)).toContain('Unlucky')
  expect(await sweep(0)).toEqual([])
})

test('a bank account that changes continually is searched as well', async () => {
  const home = await createHousehold(booted)
  await post(home, 'Busy')
  const hourMs = 3_600_000
  expect(await sweep(hourMs)).toEqual([])
  const waited = BigInt(13 * hourMs) * 1000n
  await tables().pool.query(sql.unsafe`
    UPDATE bank_accounts SET unsearched_from = version - ${waited}
    WHERE account_id = ${home.accountId}`)
  expect(await sweep(hourMs)).toEqual(['Busy'])
  expect(await sweep(hourMs)).toEqual([])
})

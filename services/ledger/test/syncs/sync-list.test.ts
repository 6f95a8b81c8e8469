import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { neighbours } from '../neighbours.ts'
import { problems, refusals } from '../outcomes.ts'
import { aRow, byService, syncedHome } from './syncing.ts'

const booted = booting([ledger, ...neighbours()])

test('pages list each live ID once, in ascending order', async () => {
  const home = await syncedHome(booted)
  const { sync, by, bankAccountId } = home
  const ids = Array.from({ length: 1000 }, (_, n) => `p${String(n).padStart(4, '0')}`)
  const rows = ids.map((providerTransactionId) => aRow({ providerTransactionId }))
  await home.brings(...rows.slice(500))
  await home.brings(...rows.slice(0, 500))
  const first = await sync.listProviderTransactions({ bankAccountId }, by)
  expect(first).toMatchObject({ providerTransactionIds: ids.slice(0, 500), hasMore: true })
  const second = await sync.listProviderTransactions({ bankAccountId, after: 'p0499' }, by)
  expect(second).toMatchObject({ providerTransactionIds: ids.slice(500), hasMore: false })
  const last = await sync.listProviderTransactions({ bankAccountId, after: 'p0999' }, by)
  expect(last).toMatchObject({ providerTransactionIds: [], hasMore: false })
})

test('removed and replaced records, and other bank accounts, are not listed', async () => {
  const home = await syncedHome(booted)
  const { sync, by, bankAccountId } = home
  const other = await syncedHome(booted)
  await other.brings(aRow({ providerTransactionId: 'other' }))
  await home.brings(
    aRow({ providerTransactionId: 'kept' }),
    aRow({ providerTransactionId: 'removed', amount: 7n }),
    aRow({ providerTransactionId: 'pending', amount: 9n, isPending: true }),
  )
  await home.loses('removed')
  await home.brings(
    aRow({
      providerTransactionId: 'posted',
      pendingProviderTransactionId: 'pending',
      amount: 9n,
    }),
  )
  const listed = await sync.listProviderTransactions({ bankAccountId }, by)
  expect(listed).toMatchObject({ providerTransactionIds: ['kept', 'posted'], hasMore: false })
})

test('days bound the list, both included, in the timezone of the account', async () => {
  const home = await syncedHome(booted)
  const { sync, by, bankAccountId } = home
  // Chicago's clocks change on 8 March 2026.
  const days = ['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10']
  await home.brings(...days.map((date) => aRow({ providerTransactionId: date, date })))
  const list = async (bounds: { from?: string; to?: string }) =>
    (await sync.listProviderTransactions({ bankAccountId, ...bounds }, by)).providerTransactionIds
  expect(await list({ from: '2026-03-08' })).toEqual(days.slice(1))
  expect(await list({ to: '2026-03-08' })).toEqual(days.slice(0, 2))
  expect(await list({ from: '2026-03-08', to: '2026-03-09' })).toEqual(days.slice(1, 3))
  expect(await list({ from: '2026-03-10', to: '2026-03-07' })).toEqual([])
})

test('invalid bounds are refused by name', async () => {
  const { sync, by, bankAccountId } = await syncedHome(booted)
  const day = 'must be a day as YYYY-MM-DD, in the years 1900 to 2199'
  const ask = (bounds: { from?: string; to?: string; after?: string }) =>
    problems(sync.listProviderTransactions({ bankAccountId, ...bounds }, by))
  expect(await ask({ from: '2026-02-30' })).toEqual({ from: day })
  expect(await ask({ from: '2026-02-01', to: '' })).toEqual({ to: day })
  const after = 'must have 1 to 200 characters on one line'
  expect(await ask({ after: 'x'.repeat(201) })).toEqual({ after })
})

test('only the sync service of the link lists, for the account of the caller', async () => {
  const { accountId, sync, by, as, bankAccountId } = await syncedHome(booted)
  const feed = byService(booted, accountId, 'feed-sync')
  const stranger = byService(booted, newId('acct'))
  expect(
    await refusals(
      sync.listProviderTransactions({ bankAccountId }, as),
      sync.listProviderTransactions({ bankAccountId }, byService(booted, accountId, 'budgeting')),
      sync.listProviderTransactions({ bankAccountId }, feed),
      sync.listProviderTransactions({ bankAccountId }, stranger),
      sync.listProviderTransactions({ bankAccountId: newId('bac') }, by),
    ),
  ).toEqual(['PermissionDenied', 'PermissionDenied', 'FailedPrecondition', 'NotFound', 'NotFound'])
})

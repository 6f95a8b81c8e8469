import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { neighbours } from '../neighbours.ts'
import { problems, refusals } from '../outcomes.ts'
import { anAccount, aRow, byService, envelopeOf, shown, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger, ...neighbours()]))

describe('invalid imports', () => {
  test('are refused, and nothing is stored', async () => {
    const home = await syncedHome(booted)
    const { sync, bankAccountId, linkId, accountId, as, account } = home
    const { providerAccountId } = account
    const request = { bankAccountId, providerAccountId, transactions: [aRow()] }
    const stranger = byService(booted, newId('acct'))
    const feed = byService(booted, accountId, 'feed-sync')
    expect(
      await refusals(
        sync.importTransactions(request, as),
        sync.importTransactions(request, feed),
        sync.setBalances({ bankAccountId, currentBalance: 1n }, feed),
        sync.upsertBankAccounts({ linkId, accounts: [anAccount()] }, feed),
        sync.upsertLink({ linkId: newId('link'), institutionName: 'A' }, feed),
        sync.setBalances({ bankAccountId, currentBalance: 1n }, stranger),
        sync.removeTransactions({ bankAccountId }, stranger),
        sync.upsertBankAccounts({ linkId, accounts: [] }, stranger),
        sync.listSyncedBankAccounts({ linkId }, stranger),
        sync.importTransactions(request, stranger),
      ),
    ).toEqual([
      'PermissionDenied',
      ...Array(3).fill('FailedPrecondition'),
      'PermissionDenied',
      ...Array(4).fill('NotFound'),
      'Unavailable',
    ])
    expect(await home.all()).toEqual([])
  })

  test('name the invalid field', async () => {
    const { sync, by, bankAccountId, linkId } = await syncedHome(booted)
    const request = { bankAccountId, providerAccountId: 'p' }
    const wrong = aRow({ providerTransactionId: '' })
    const large = aRow({ raw: 'x'.repeat(65_537) })
    const accounts = [anAccount({ currentBalance: -(2n ** 53n) })]
    const ids = { bankAccountId, providerTransactionIds: ['a', 'x'.repeat(201)] }
    const many = { ...request, transactions: Array.from({ length: 501 }, () => aRow()) }
    const found = await Promise.all([
      problems(sync.importTransactions({ ...request, transactions: [aRow(), wrong] }, by)),
      problems(sync.importTransactions({ ...request, transactions: [large] }, by)),
      problems(sync.importTransactions({ ...request, providerAccountId: '' }, by)),
      problems(sync.importTransactions(many, by)),
      problems(sync.removeTransactions(ids, by)),
      problems(sync.upsertBankAccounts({ linkId, accounts }, by)),
    ])
    expect(found).toMatchObject([
      { transactions: { 1: { providerTransactionId: expect.any(String) } } },
      { transactions: { 0: { raw: 'must have at most 65536 bytes' } } },
      { providerAccountId: expect.any(String) },
      { transactions: 'must have at most 500 entries' },
      { providerTransactionIds: { 1: expect.any(String) } },
      { accounts: { 0: { currentBalance: expect.any(String) } } },
    ])
  })
})

test('an archived feed account refuses every import', async () => {
  const home = await syncedHome(booted)
  const { accountId, as, links, bankAccounts, sync } = home
  const feed = byService(booted, accountId, 'feed-sync')
  const body = { institutionName: 'Feed', feedLinkId: newId('lfx') }
  const { link } = await links.createLink(body, as)
  const linkId = link?.linkId ?? ''
  const feedBankAccountId = newId('lbac')
  const created = { linkId, name: 'Fed', feedBankAccountId, currency: 'USD' }
  const { bankAccount } = await bankAccounts.createBankAccount(created, as)
  const bankAccountId = bankAccount?.bankAccountId ?? ''
  const account = anAccount({ feedBankAccountId, currentBalance: 42n })
  const upserted = await sync.upsertBankAccounts({ linkId, accounts: [account] }, feed)
  expect(upserted.accounts).toMatchObject([{ bankAccountId, feedBankAccountId, isNew: false }])
  expect(await shown(home, bankAccountId)).toMatchObject({ currentBalance: 42n, name: 'Fed' })
  const { providerAccountId } = account
  const request = { bankAccountId, providerAccountId, transactions: [aRow()] }
  const [one] = (await sync.importTransactions(request, feed)).transactions
  const key = { bankAccountId, transactionId: one?.transactionId ?? '' }
  expect((await home.transactions.getTransaction(key, as)).transaction).toMatchObject({
    source: 'feed',
    feedTransaction: {
      feedTransactionId: expect.stringMatching(/^ltxn_/),
      merchant: 'Deli',
      amount: 1200n,
    },
  })
  await bankAccounts.archiveBankAccount({ bankAccountId }, as)
  const removal = { bankAccountId, providerTransactionIds: [one?.providerTransactionId ?? ''] }
  expect(
    await refusals(
      sync.importTransactions(request, feed),
      sync.removeTransactions(removal, feed),
      sync.setBalances({ bankAccountId, currentBalance: 1n }, feed),
      sync.listProviderTransactions({ bankAccountId }, feed),
    ),
  ).toEqual(Array(4).fill('FailedPrecondition'))
  const again = await sync.upsertBankAccounts({ linkId, accounts: [account] }, feed)
  expect(again.accounts).toMatchObject([{ bankAccountId, isArchived: true, status: 'inactive' }])
})

test('a deleted link refuses every import, and no rows remain', async () => {
  const home = await syncedHome(booted)
  const { accountId, sync, by, linkId, bankAccountId, as, account } = home
  await envelopeOf(home, 500n)
  const [one] = await home.brings(aRow())
  const deleting = home.links.deleteLink({ linkId }, as)
  // The import ends before the deletion, or finds no bank account. In either case no row is left.
  await Promise.allSettled([home.brings(aRow(), aRow()), deleting])
  expect(
    await refusals(
      home.brings(aRow()),
      home.loses(one?.providerTransactionId),
      sync.setBalances({ bankAccountId, currentBalance: 1n }, by),
      sync.upsertBankAccounts({ linkId, accounts: [account] }, by),
      sync.listSyncedBankAccounts({ linkId }, by),
      sync.listProviderTransactions({ bankAccountId }, by),
      sync.upsertLink({ linkId, institutionName: 'Again' }, by),
    ),
  ).toEqual(Array(7).fill('NotFound'))
  const Count = z.object({ count: z.bigint() })
  const left = () =>
    booted.database('ledger').pool.oneFirst(sql.type(Count)`
      SELECT (SELECT count(*) FROM provider_transactions WHERE account_id = ${accountId})
        + (SELECT count(*) FROM provider_account_ids WHERE account_id = ${accountId})
        + (SELECT count(*) FROM bank_accounts WHERE account_id = ${accountId}) AS count`)
  await eventually(left, (count) => count === 0n)
})

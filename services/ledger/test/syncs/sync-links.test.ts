import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { refusals } from '../outcomes.ts'
import {
  anAccount,
  aRow,
  assign,
  byService,
  envelopeOf,
  feedHome,
  linkOf,
  rowsOf,
  type SyncedHome,
  shown,
  syncedHome,
} from './syncing.ts'

const booted = auditing(booting([ledger]))

const detach = ({ sync, linkId, by }: SyncedHome) => sync.detachLink({ linkId }, by)
const discard = ({ sync, linkId, by }: SyncedHome) => sync.discardLink({ linkId }, by)

const Count = z.object({ count: z.bigint() })

const historyOf = ({ accountId }: SyncedHome) =>
  booted.database('ledger').pool.oneFirst(sql.type(Count)`
    SELECT count(*) AS count FROM journal WHERE account_id = ${accountId}`)

describe('an aggregator link that is detached', () => {
  test('is manual with its bank accounts, once, and keeps all data', async () => {
    const home = await syncedHome(booted)
    const { sync, linkId, by, accountId } = home
    await sync.upsertBankAccounts({ linkId, accounts: [anAccount()] }, by)
    const { spendingId, held } = await envelopeOf(home, 5000n)
    const [one] = await home.brings(aRow())
    await assign(home, one?.transactionId, { name: 'Lunch', spendingId })
    const before = await Promise.all([home.all(), home.balances(), held(), historyOf(home)])
    const versions = (await rowsOf(booted, home)).map(({ version }) => version)
    const events = await booted.changes('ledger', accountId)

    expect(await detach(home)).toMatchObject({ isChanged: true })
    const link = await linkOf(home)
    expect(link).toMatchObject({ linkType: 'manual', institutionName: 'First Bank' })
    expect(link?.deletedAt).toBeUndefined()
    const rows = await rowsOf(booted, home)
    expect(rows.map(({ linkType }) => linkType)).toEqual(['manual', 'manual'])
    for (const [index, { version }] of rows.entries()) {
      expect(version).toBeGreaterThan(versions[index] ?? 0n)
    }
    const after = await Promise.all([home.all(), home.balances(), held(), historyOf(home)])
    expect(after).toEqual(before)
    // No service keeps a copy of the type.
    expect(await booted.changes('ledger', accountId)).toEqual(events)

    expect(await detach(home)).toMatchObject({ isChanged: false })
    expect(await rowsOf(booted, home)).toEqual(rows)
  })

  test('is used like any manual one', async () => {
    const home = await syncedHome(booted)
    const { bankAccountId, as, bankAccounts, transactions, linkId } = home
    const { spendingId, held } = await envelopeOf(home, 5000n)
    const [one, other] = await home.brings(aRow(), aRow({ amount: 700n }))
    await assign(home, one?.transactionId, { spendingId })
    const key = { bankAccountId, transactionId: one?.transactionId ?? '' }
    const change = { ...key, amount: 2000n, updateMask: { paths: ['amount'] } }
    const balance = {
      bankAccountId,
      currentBalance: 7n,
      updateMask: { paths: ['current_balance'] },
    }
    const works = () => [
      transactions.updateTransaction(change, as),
      transactions.deleteTransaction(
        { bankAccountId, transactionId: other?.transactionId ?? '' },
        as,
      ),
      bankAccounts.updateBankAccount(balance, as),
      bankAccounts.createBankAccount({ linkId, name: 'Cash' }, as),
    ]
    expect(await refusals(...works())).not.toContain('accepted')
    expect(await shown(home)).toHaveProperty('aggregatorBankAccount')

    await detach(home)
    expect(await refusals(...works())).toEqual(Array(4).fill('accepted'))
    expect(await held()).toBe(3000n)
    expect(await home.one(one?.transactionId)).toMatchObject({
      amount: 2000n,
      source: 'aggregator',
      aggregatorTransaction: { amount: 1200n },
    })
    expect(await shown(home)).toMatchObject({ currentBalance: 7n })
    expect((await shown(home))?.aggregatorBankAccount).toBeUndefined()
    expect(await refusals(bankAccounts.archiveBankAccount({ bankAccountId }, as))).toEqual([
      'accepted',
    ])
  })

  test('refuses every import, and a new creation of the link', async () => {
    const home = await syncedHome(booted)
    const { sync, by, linkId, bankAccountId, account } = home
    const [one] = await home.brings(aRow())
    await detach(home)
    const rows = await rowsOf(booted, home)
    expect(
      await refusals(
        home.brings(aRow()),
        home.loses(one?.providerTransactionId),
        sync.setBalances({ bankAccountId, currentBalance: 1n }, by),
        sync.upsertBankAccounts({ linkId, accounts: [account, anAccount()] }, by),
        sync.upsertBankAccounts({ linkId, accounts: [], isComplete: true }, by),
        sync.listSyncedBankAccounts({ linkId }, by),
        sync.listProviderTransactions({ bankAccountId }, by),
        sync.upsertLink({ linkId, institutionName: 'Again' }, by),
        discard(home),
      ),
    ).toEqual(Array(9).fill('FailedPrecondition'))
    expect(await rowsOf(booted, home)).toEqual(rows)
  })

  test('can be deleted; a deleted or missing link is unchanged', async () => {
    const home = await syncedHome(booted)
    const { sync, by, links, linkId, as } = home
    await detach(home)
    await links.deleteLink({ linkId }, as)
    const deleted = await linkOf(home)
    expect(await detach(home)).toMatchObject({ isChanged: false })
    expect(await linkOf(home)).toEqual(deleted)
    const missing = { linkId: newId('link') }
    expect(await sync.detachLink(missing, by)).toMatchObject({ isChanged: false })
  })
})

describe('an aggregator link whose creation failed', () => {
  test('is deleted with its bank accounts, once', async () => {
    const home = await syncedHome(booted)
    const deleted = async () =>
      (await booted.changes('ledger', home.accountId)).filter((one) => one.endsWith('LinkDeleted'))
    await Promise.all([discard(home), discard(home)])
    await discard(home)
    expect((await linkOf(home))?.deletedAt).toBeDefined()
    expect((await home.links.listLinks({}, home.as)).links).toEqual([])
    expect(await rowsOf(booted, home)).toEqual([])
    expect(await deleted()).toHaveLength(1)
  })

  test('may never have been created', async () => {
    const home = await syncedHome(booted)
    expect(await home.sync.discardLink({ linkId: newId('link') }, home.by)).toBeDefined()
    expect(await rowsOf(booted, home)).toHaveLength(1)
  })
})

test('only aggregator-sync ends links, only its own, and none of another account', async () => {
  const home = await syncedHome(booted)
  const { sync, linkId, accountId, as } = home
  const feed = await feedHome(booted)
  const aggregator = byService(booted, feed.accountId)
  const others = [as, byService(booted, accountId, 'feed-sync')]
  expect(
    await refusals(
      ...others.flatMap((by) => [
        sync.detachLink({ linkId }, by),
        sync.discardLink({ linkId }, by),
      ]),
    ),
  ).toEqual(Array(4).fill('PermissionDenied'))
  const ofFeed = { linkId: feed.linkId }
  expect(
    await refusals(sync.detachLink(ofFeed, aggregator), sync.discardLink(ofFeed, aggregator)),
  ).toEqual(Array(2).fill('FailedPrecondition'))
  expect(await sync.detachLink({ linkId }, aggregator)).toMatchObject({ isChanged: false })
  await sync.discardLink({ linkId }, aggregator)
  expect(await linkOf(home)).toMatchObject({ linkType: 'aggregator' })
  expect((await linkOf(home))?.deletedAt).toBeUndefined()
  expect(await linkOf(feed)).toMatchObject({ linkType: 'feed' })
  expect(await rowsOf(booted, home)).toMatchObject([{ linkType: 'aggregator' }])
})

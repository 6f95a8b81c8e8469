import { setTimeout } from 'node:timers/promises'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { problems, refusals } from '../outcomes.ts'
import { anAccount, byService, type SyncedHome, shown, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

/**
 * Creates or updates bank accounts of the link, like a sync. Returns the bank accounts in the
 * reply.
 */
async function upsert({ sync, linkId, by }: SyncedHome, request: object) {
  return (await sync.upsertBankAccounts({ linkId, ...request }, by)).accounts
}

describe('a link to the aggregator', () => {
  test('is created once despite repetitions, and its name stays the user’s', async () => {
    const home = await syncedHome(booted)
    const { sync, by, linkId, links, as, accountId } = home
    await links.updateLink(
      { linkId, institutionName: 'Mine', updateMask: { paths: ['institution_name'] } },
      as,
    )
    expect(await sync.upsertLink({ linkId, institutionName: 'Other' }, by)).toMatchObject({
      isNew: false,
    })
    const { link } = await links.getLink({ linkId }, as)
    expect(link).toMatchObject({
      linkType: 'aggregator',
      institutionName: 'Mine',
      createdBy: 'user_1',
    })
    const twice = { linkId: newId('link'), institutionName: 'Bank' }
    const made = await Promise.all([sync.upsertLink(twice, by), sync.upsertLink(twice, by)])
    expect(made.map(({ isNew }) => isNew).sort()).toEqual([false, true])
    const created = (await booted.changes('ledger', accountId)).filter((one) =>
      one.endsWith('LinkCreated'),
    )
    expect(created).toHaveLength(2)
  })

  test('needs an ID and a name', async () => {
    const { sync, by } = await syncedHome(booted)
    const linkId = newId('link')
    expect(await problems(sync.upsertLink({ linkId: 'x', institutionName: 'A' }, by))).toEqual({
      linkId: 'is not the ID of a link',
    })
    expect(await problems(sync.upsertLink({ linkId, institutionName: ' ' }, by))).toEqual({
      institutionName: 'is required',
    })
  })
})

describe('bank accounts of a provider', () => {
  test('are created with their balances and shown with their record', async () => {
    const home = await syncedHome(booted)
    expect(await shown(home)).toMatchObject({
      name: 'Plain Checking',
      originalName: 'Plain Checking',
      mask: '0042',
      status: 'active',
      availableBalance: 10_000n,
      currentBalance: 10_500n,
      limitBalance: 0n,
      currency: 'USD',
      aggregatorBankAccount: {
        officialName: 'Plain Silver Checking',
        createdBy: 'user_1',
        availableBalance: 10_000n,
      },
    })
    const odd = anAccount({
      accountType: 'crypto',
      accountSubType: 'wallet',
      mask: '42',
      name: '',
      officialName: '',
      limitBalance: -5n,
    })
    const [, made] = await upsert(home, { accounts: [home.account, odd] })
    expect(await shown(home, made?.bankAccountId)).toMatchObject({
      accountType: 'other',
      accountSubType: 'other',
      name: 'Account',
      limitBalance: 0n,
      aggregatorBankAccount: { mask: '42' },
    })
  })

  test('are created once, even by concurrent calls with the same list', async () => {
    const home = await syncedHome(booted)
    const accounts = [anAccount({ mask: '1111' }), anAccount({ mask: '2222' })]
    const lists = await Promise.all([1, 2, 3].map(() => upsert(home, { accounts })))
    const ids = lists.map((list) => list.map((one) => one.bankAccountId).join())
    expect(new Set(ids).size).toBe(1)
    const before = await shown(home)
    await upsert(home, { accounts: [home.account] })
    expect(await shown(home)).toEqual(before)
    const { sync, linkId, by } = home
    const { accounts: listed } = await sync.listSyncedBankAccounts({ linkId }, by)
    expect(listed).toHaveLength(3)
    expect(listed[0]).toMatchObject({ providerAccountId: home.account.providerAccountId })
  })

  test('are refreshed: balances with journal entries, original name, never the name', async () => {
    const home = await syncedHome(booted)
    const { bankAccounts, bankAccountId, as } = home
    const named = { name: 'Main', updateMask: { paths: ['name'] } }
    await bankAccounts.updateBankAccount({ bankAccountId, ...named }, as)
    const { lastUpdated } = (await shown(home)) ?? {}
    const renamed = { ...home.account, name: 'Fancy Checking', availableBalance: -300n }
    await upsert(home, { accounts: [renamed] })
    const after = await shown(home)
    expect(after).toMatchObject({
      name: 'Main',
      originalName: 'Fancy Checking',
      availableBalance: -300n,
      aggregatorBankAccount: { name: 'Fancy Checking', availableBalance: -300n },
    })
    expect(after?.lastUpdated).not.toEqual(lastUpdated)
    await upsert(home, { accounts: [{ ...renamed, currency: 'EUR', currentBalance: 7n }] })
    expect(await shown(home)).toMatchObject({ currency: 'USD', currentBalance: 10_500n })
  })

  test('are inactive while a complete list omits them', async () => {
    const home = await syncedHome(booted)
    const other = anAccount({ mask: '7777', accountSubType: 'savings' })
    const listed = { accounts: [other], isComplete: true }
    expect(await upsert(home, { ...listed, knownOnly: true })).toEqual([])
    expect(await shown(home)).toMatchObject({ status: 'inactive' })
    const [back] = await upsert(home, { accounts: [home.account] })
    expect(back).toMatchObject({ status: 'active', isNew: false })
  })

  test('that look equal are not confused', async () => {
    const home = await syncedHome(booted)
    const twins = [anAccount({ mask: '5555' }), anAccount({ mask: '5555' })]
    const made = await upsert(home, { accounts: twins })
    const renewed = [anAccount({ mask: '5555' }), anAccount({ mask: '5555' })]
    const again = await upsert(home, { accounts: renewed, isComplete: true })
    expect(again.map((one) => one.isNew)).toEqual([true, true])
    expect(made.map((one) => one.isNew)).toEqual([true, true])
  })
})

test('an account that the provider splits becomes two', async () => {
  const home = await syncedHome(booted)
  const { account, bankAccountId } = home
  const renewed = { ...account, providerAccountId: newId('p') }
  await upsert(home, { accounts: [renewed], isComplete: true })
  const both = await upsert(home, { accounts: [account, account, renewed] })
  expect(both).toMatchObject([{ isNew: true }, { bankAccountId, isNew: false }])
  const again = await upsert(home, { accounts: [renewed, account] })
  expect(again.map((one) => one.bankAccountId).toSorted()).toEqual(
    both.map((one) => one.bankAccountId).toSorted(),
  )
})

test('a feed candidate is for feed links only, and for one account', async () => {
  const home = await syncedHome(booted)
  const { sync, by, linkId, links, as, accountId } = home
  const feed = byService(booted, accountId, 'feed-sync')
  const { link } = await links.createLink({ institutionName: 'F', feedLinkId: newId('lfx') }, as)
  const fed = { linkId: link?.linkId ?? '' }
  const feedBankAccountId = newId('lbac')
  const one = () => anAccount({ feedBankAccountId })
  const text = expect.any(String)
  expect(await problems(sync.upsertBankAccounts({ linkId, accounts: [one()] }, by))).toEqual({
    feedBankAccountId: text,
  })
  const without = sync.upsertBankAccounts({ ...fed, accounts: [anAccount()] }, feed)
  expect(await problems(without)).toEqual({ feedBankAccountId: text })
  const twice = sync.upsertBankAccounts({ ...fed, accounts: [one(), one()] }, feed)
  expect(await refusals(twice)).toEqual(['AlreadyExists'])
})

async function versionOf({ accountId, bankAccountId }: SyncedHome): Promise<bigint> {
  const Row = z.object({ version: z.bigint() })
  return booted.database('ledger').pool.oneFirst(sql.type(Row)`
    SELECT version FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
}

test('changes of a provider raise the version, repetitions do not', async () => {
  const home = await syncedHome(booted)
  const steps = [
    home.account,
    { ...home.account, officialName: 'Plain Golden Checking' },
    { ...home.account, aliases: [newId('p')] },
  ]
  const versions = [await versionOf(home)]
  for (const account of steps) {
    for (const _ of [1, 2]) {
      await upsert(home, { accounts: [account] })
      versions.push(await versionOf(home))
    }
  }
  expect(new Set(versions).size).toBe(3)
  expect(versions).toEqual(versions.toSorted())
})

test('a list concurrent with the deletion of its link leaves no bank account', async () => {
  const home = await syncedHome(booted)
  const { links, linkId, as, accountId } = home
  // Each of eight clients repeats its call until it is refused.
  const clients = Array.from({ length: 8 }, async () => {
    for (let count = 0; count < 1_000; count++) {
      const accounts = [home.account, anAccount()]
      const [answer] = await refusals(upsert(home, { accounts }))
      if (answer !== 'accepted') return answer
    }
    return null
  })
  await setTimeout(50)
  await links.deleteLink({ linkId }, as)
  expect(new Set(await Promise.all(clients))).toEqual(new Set(['NotFound']))
  const left = await booted.database('ledger').pool.any(sql.unsafe`
    SELECT FROM bank_accounts WHERE account_id = ${accountId} AND removed_at IS NULL`)
  expect(left).toHaveLength(0)
})

describe('balances', () => {
  test('are set as stated, once', async () => {
    const home = await syncedHome(booted)
    const { sync, by, bankAccountId } = home
    const stated = { bankAccountId, availableBalance: 5n, limitBalance: -1n }
    expect(await sync.setBalances(stated, by)).toMatchObject({ isChanged: true })
    expect(await sync.setBalances(stated, by)).toMatchObject({ isChanged: false })
    const after = { availableBalance: 5n, currentBalance: 10_500n, limitBalance: 0n }
    expect(await shown(home)).toMatchObject(after)
    const huge = sync.setBalances({ bankAccountId, currentBalance: 2n ** 53n }, by)
    expect(await refusals(huge)).toEqual(['InvalidArgument'])
  })
})

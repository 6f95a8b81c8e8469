import { booting } from '@coffer/host/testing/booting'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import {
  aRow,
  assign,
  envelopeOf,
  feedHome,
  type SyncedHome,
  syncedHome,
} from '../syncs/syncing.ts'
import { deli, rulingOf, runningOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const [ofPending, ofPosted] = [{ isPending: true }, { isPending: false }]

test.each([
  [true, false],
  [true, true],
  [false, false],
  [false, true],
])(
  'a posted row has what rules set, and its user on the pending one (feed: %s; edited: %s)',
  async (isFeed, isEdited) => {
    const home = isFeed ? await feedHome(booted) : await syncedHome(booted)
    const food = await envelopeOf(home, 10_000n)
    const other = await envelopeOf(home, 10_000n)
    const held = { name: 'Held', notes: 'Held', tags: ['held'] }
    const paid = { name: 'Paid', notes: 'Paid', tags: ['paid'], spendingId: food.spendingId }
    await rulingOf(booted)(home).write(
      { conditions: ofPending, actions: held },
      { conditions: ofPosted, actions: paid },
    )
    const [row] = await home.brings(
      aRow({ ...ofPending, amount: 5_000n, providerTransactionId: 'h' }),
    )
    expect(await home.one(row?.transactionId)).toMatchObject(held)
    const edits = { name: 'Mine', spendingId: other.spendingId }
    if (isEdited) await assign(home, row?.transactionId, edits)
    // With a tip: a row of its own until the pending one is gone.
    await home.brings(aRow({ amount: 6_000n, providerTransactionId: 'p', date: '2026-03-03' }))
    await home.loses('h')
    const expected = { ...paid, ...(isEdited ? edits : {}), spendingAmount: 6_000n, ...ofPosted }
    const transactionId = row?.transactionId
    // Without an edit the posted row stays, and the pending one goes.
    expect(await home.all()).toMatchObject([isEdited ? { transactionId, ...expected } : expected])
    expect(await food.held()).toBe(isEdited ? 10_000n : 4_000n)
  },
)

test.each([false, true])(
  'a name that the provider stated before a row was posted is not the user’s (edited: %s)',
  async (isEdited) => {
    const home = await feedHome(booted)
    const [row] = await home.brings(aRow({ ...ofPending, providerTransactionId: 'p' }))
    const one = () => home.one(row?.transactionId)
    const before = (await one())?.name
    if (isEdited) await assign(home, row?.transactionId, { name: 'Mine' })
    const texts = {
      displayName: 'Market',
      name: 'Market',
      merchantName: '',
      originalName: 'MARKET',
    }
    const posted = { ...texts, ...ofPosted, providerTransactionId: 'p' }
    await home.brings(aRow(posted))
    expect(await one()).toMatchObject({ name: isEdited ? 'Mine' : before })
    await rulingOf(booted)(home).write({ conditions: ofPosted, actions: { name: 'Paid' } })
    const { start, ended, undo } = runningOf(booted)(home)
    const { ruleRunId } = (await ended((await start())?.ruleRunId)) ?? {}
    expect(await one()).toMatchObject({ name: isEdited ? 'Mine' : 'Paid' })
    await undo(ruleRunId)
    await ended(ruleRunId)
    expect(await one()).toMatchObject({ name: isEdited ? 'Mine' : before })
  },
)

/** Clears fields of a transaction as its user does. */
async function clear(home: SyncedHome, transactionId: string, paths: string[]) {
  const request = { bankAccountId: home.bankAccountId, transactionId, updateMask: { paths } }
  await home.transactions.updateTransaction(request, home.as)
}

test('a note of a rule that its user has cleared stays so on the posted row', async () => {
  const home = await feedHome(booted)
  await rulingOf(booted)(home).write({ conditions: deli, actions: { notes: 'Noted' } })
  const [row] = await home.brings(aRow({ ...ofPending, providerTransactionId: 'h' }))
  const transactionId = row?.transactionId ?? ''
  await clear(home, transactionId, ['notes'])
  await home.brings(aRow({ amount: 1_300n, date: '2026-03-03' }))
  await home.loses('h')
  expect(await home.all()).toMatchObject([{ transactionId, notes: undefined, amount: 1_300n }])
})

/** The setters of fields: of rules, and of the user of the pending and of the posted row. */
const [rule, user, none] = ['rule', 'user', undefined]

test.each([
  [[], ['notes', 'tags', 'spending_id'], { notes: user, tags: user, spendingId: user }],
  [['notes'], ['tags'], { notes: user, tags: user, spendingId: rule }],
  [['merchant_name'], [], { merchantName: user, notes: rule, tags: rule, spendingId: rule }],
])(
  'an accepted row has fields that its user cleared, each row its own marks apart (%j, %j)',
  async (ofHeld, ofPaid, joined) => {
    const home = await feedHome(booted)
    const { bankAccountId, transactions, as } = home
    const food = await envelopeOf(home, 10_000n)
    const actions = { notes: 'Noted', tags: ['t'], spendingId: food.spendingId }
    await rulingOf(booted)(home).write(
      { conditions: { ...deli, ...ofPosted }, actions: { name: 'Paid' } },
      { conditions: { ...deli, ...ofPending }, actions: { name: 'Held', merchantName: 'Shop' } },
      { conditions: deli, actions },
    )
    const [one = '', other = ''] = (
      await home.brings(
        aRow({ ...ofPending, amount: 1_000n }),
        aRow({ amount: 1_600n, date: '2026-03-03' }),
      )
    ).map(({ transactionId }) => transactionId)
    await clear(home, one, ofHeld)
    await clear(home, other, ofPaid)
    const read = async (transactionId: string) => {
      const request = { bankAccountId, transactionId, includesProvenance: true }
      const { transaction: row } = await transactions.getTransaction(request, as)
      const by = Object.fromEntries((row?.provenance ?? []).map(({ field, by }) => [field, by]))
      const texts = { name: row?.name, merchantName: row?.merchantName, notes: row?.notes }
      const money = { spendingId: row?.spendingId, spendingAmount: row?.spendingAmount }
      return { by, ...texts, tags: row?.tags, ...money }
    }
    const before = [await read(one), await read(other)]
    const client = booted.client('ledger', SuggestionService)
    const key = { bankAccountId, transactionId: other }
    const suggestion = { kind: 'pending', transactionId: one }
    await client.acceptSuggestion({ ...key, suggestion }, as)
    const by = { name: rule, merchantName: rule, ...joined }
    const has = { ...actions, name: 'Paid', merchantName: 'Shop', spendingAmount: 1_600n }
    const cleared = Object.entries(joined).filter(([, setter]) => setter === user)
    const empty = cleared.map(([field]) => [field, field === 'tags' ? [] : none])
    const unspent = 'spendingId' in joined && joined.spendingId === user
    const money = unspent ? { spendingAmount: none } : {}
    expect(await read(one)).toEqual({ ...has, ...Object.fromEntries(empty), ...money, by })
    await client.separateTransaction({ ...key, transactionId: one }, as)
    expect([await read(one), await read(other)]).toEqual(before)
    expect(await food.held()).toBe(unspent ? 9_000n : 7_400n)
  },
)

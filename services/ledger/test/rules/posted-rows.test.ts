import { booting } from '@coffer/host/testing/booting'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, feedHome, syncedHome } from '../syncs/syncing.ts'
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

test('a note of a rule that its user has cleared stays so on the posted row', async () => {
  const home = await feedHome(booted)
  await rulingOf(booted)(home).write({ conditions: deli, actions: { notes: 'Noted' } })
  const [row] = await home.brings(aRow({ ...ofPending, providerTransactionId: 'h' }))
  const { bankAccountId, transactions, as } = home
  const transactionId = row?.transactionId ?? ''
  const request = { bankAccountId, transactionId, updateMask: { paths: ['notes'] } }
  await transactions.updateTransaction(request, as)
  await home.brings(aRow({ amount: 1_300n, date: '2026-03-03' }))
  await home.loses('h')
  expect(await home.all()).toMatchObject([{ transactionId, notes: undefined, amount: 1_300n }])
})

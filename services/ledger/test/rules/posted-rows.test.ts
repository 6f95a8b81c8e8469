import { booting } from '@coffer/host/testing/booting'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, feedHome, syncedHome } from '../syncs/syncing.ts'
import { rulingOf } from './ruling.ts'

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

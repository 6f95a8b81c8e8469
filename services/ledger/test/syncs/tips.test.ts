import { booting } from '@coffer/host/testing/booting'
import { describe, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, feedHome, type SyncedHome, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

const pending = aRow({ providerTransactionId: 'a', isPending: true, amount: 5000n })
const posted = aRow({ providerTransactionId: 'b', date: '2026-03-04', amount: 6000n })

/** Imports the pending row, and assigns it to an envelope of 100.00. */
async function held(home: SyncedHome, row = pending) {
  const envelope = await envelopeOf(home, 10_000n)
  const [one] = await home.brings(row)
  const mine = { name: 'Dinner with Kim', spendingId: envelope.spendingId }
  await assign(home, one?.transactionId, mine)
  return { ...envelope, mine: { ...mine, transactionId: one?.transactionId } }
}

type Step = (home: SyncedHome) => Promise<unknown>
const post: Step = (home) => home.brings(posted)
const drop: Step = (home) => home.loses('a')
const pend: Step = (home) => home.brings(pending)

describe('a posted row with a tip', () => {
  test.each<[string, Step[]]>([
    ['in one sync', [post, drop]],
    ['after the removal', [drop, post]],
    ['beside the pending one for a while', [post, post, pend, drop]],
    ['each delivered twice', [drop, drop, post, post, drop]],
  ])('%s keeps all that the user did, and the envelope takes the rest', async (_case, steps) => {
    for (const home of [await feedHome(booted), await syncedHome(booted)]) {
      const { mine, ...envelope } = await held(home)
      for (const step of steps) await step(home)
      const shown = { ...mine, amount: 6000n, spendingAmount: 6000n, isPending: false }
      expect(await home.all()).toMatchObject([shown])
      expect(await home.all()).toHaveLength(1)
      expect(await envelope.held()).toBe(4000n)
      expect(await home.brings(posted)).toMatchObject([{ outcome: 'unchanged', ...pick(mine) }])
    }
  })

  const pick = ({ transactionId }: { transactionId: string | undefined }) => ({ transactionId })

  test.each<[string, object, object]>([
    ['30 % more', { amount: 6500n }, { isPending: false }],
    ['more than 30 %', { amount: 6501n }, { isPending: true }],
    ['less', { amount: 4999n }, { isPending: true }],
    ['a deposit', { amount: -6000n }, { isPending: true }],
    ['10 days later', { date: '2026-03-12' }, { isPending: false }],
    ['11 days later', { date: '2026-03-13' }, { isPending: true }],
    ['another text', { name: 'Deli 43', merchantName: 'Deli 43' }, { isPending: true }],
    [
      'a text in capitals',
      { name: 'x', merchantName: 'DÉLI', displayName: 'DÉLI' },
      { isPending: false },
    ],
    ['of another pending one', { pendingProviderTransactionId: 'q' }, { isPending: true }],
  ])('that is %s', async (_case, changes, expected) => {
    const home = await feedHome(booted)
    const { mine } = await held(home)
    await home.brings({ ...posted, ...changes })
    await home.loses('a')
    expect(await home.one(mine.transactionId)).toMatchObject({ name: mine.name, ...expected })
  })

  test.each([
    ['1.00', 100n, false],
    ['1.01', 101n, true],
    ['0.00', 0n, false],
  ])('of a hold of %s', async (_case, amount, isPending) => {
    const home = await feedHome(booted)
    const { mine } = await held(home, { ...pending, amount })
    await home.brings({ ...posted, amount: 8700n })
    await home.loses('a')
    expect(await home.one(mine.transactionId)).toMatchObject({ name: mine.name, isPending })
  })

  const second = { ...posted, providerTransactionId: 'c' }
  test.each<[string, Step[]]>([
    ['two postings', [(home) => home.brings(posted, second), drop]],
    ['two postings after it', [drop, (home) => home.brings(posted, second)]],
    [
      'another pending one',
      [(home) => home.brings({ ...pending, providerTransactionId: 'd' }), post, drop],
    ],
    [
      'edits of the posting',
      [
        post,
        async (home) => {
          const all = await home.all()
          await assign(home, all.find((one) => !one.isPending)?.transactionId, { name: 'Other' })
        },
        drop,
      ],
    ],
  ])('is not joined with %s', async (_case, steps) => {
    const home = await feedHome(booted)
    const { mine, ...envelope } = await held(home)
    for (const step of steps) await step(home)
    expect(await home.one(mine.transactionId)).toMatchObject({ name: mine.name, isPending: true })
    expect(await envelope.held()).toBe(10_000n)
  })

  test('is another purchase if the provider lists the pending one again', async () => {
    const home = await feedHome(booted)
    const { mine, ...envelope } = await held(home)
    for (const step of [post, drop, pend]) await step(home)
    expect(await home.all()).toMatchObject([
      { amount: 6000n, isPending: false, name: 'Deli' },
      {
        ...mine,
        amount: 5000n,
        spendingAmount: 5000n,
        isPending: true,
        originalName: pending.originalName,
      },
    ])
    expect(await envelope.held()).toBe(5000n)
    expect(await home.brings(posted, pending)).toMatchObject([
      { outcome: 'unchanged' },
      { outcome: 'unchanged' },
    ])
  })

  test.each<[string, object]>([
    ['named', { amount: 5300n, pendingProviderTransactionId: 'a' }],
    ['of the same amount', { amount: 5000n }],
  ])('is another purchase once one %s is listed', async (_case, changes) => {
    const home = await feedHome(booted)
    const { mine, ...envelope } = await held(home)
    for (const step of [post, drop]) await step(home)
    const own = { ...posted, providerTransactionId: 'c', ...changes }
    const [found] = await home.brings(own, posted)
    expect(found).toMatchObject({ transactionId: mine.transactionId, isMatch: true })
    const { amount } = own
    expect(await home.one(mine.transactionId)).toMatchObject({ ...mine, amount, isPending: false })
    expect(await home.all()).toHaveLength(2)
    expect(await envelope.held()).toBe(10_000n - amount)
  })

  test('leaves a pending one alone that the user has not changed', async () => {
    const home = await feedHome(booted)
    const [one] = await home.brings(pending)
    const [other] = await home.brings(posted)
    await home.loses('a')
    expect(other?.transactionId).not.toBe(one?.transactionId)
    expect(await home.all()).toMatchObject([{ transactionId: other?.transactionId }])
  })
})

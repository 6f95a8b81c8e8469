import { readFile } from 'node:fs/promises'
import { booting } from '@coffer/host/testing/booting'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
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
/** A posting on the last day on which it may join the pending row. */
const late = { ...posted, date: '2026-03-12' }
const postLate: Step = (home) => home.brings(late)
const pend: Step = (home) => home.brings(pending)

describe('a posted row with a tip', () => {
  test.each<[string, Step[], typeof posted?]>([
    ['in one sync', [post, drop]],
    ['after the removal', [drop, post]],
    ['ten days after it', [drop, postLate], late],
    ['beside the pending one for a while', [post, post, pend, drop]],
    ['each delivered twice', [drop, drop, post, post, drop]],
  ])(
    '%s keeps all that the user did, and the envelope takes the rest',
    async (_case, steps, row = posted) => {
      for (const home of [await feedHome(booted), await syncedHome(booted)]) {
        const { mine, ...envelope } = await held(home)
        for (const step of steps) await step(home)
        const shown = { ...mine, amount: 6000n, spendingAmount: 6000n, isPending: false }
        expect(await home.all()).toMatchObject([shown])
        expect(await home.all()).toHaveLength(1)
        expect(await envelope.held()).toBe(4000n)
        expect(await home.brings(row)).toMatchObject([{ outcome: 'unchanged', ...pick(mine) }])
      }
    },
  )

  const pick = ({ transactionId }: { transactionId: string | undefined }) => ({ transactionId })

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
    await post(home)
    expect(await drop(home)).toMatchObject({ removedCount: 0 })
    await pend(home)
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

const cents = (text = '') => BigInt(Math.round(Number(text) * 100))
const sumOf = (amount = 0n) => (Number(amount) / 100).toFixed(2)

type World = { home: SyncedHome; spendingId: string; one: string; other: string }

/** The steps of the table in docs/money/edges.md. */
const steps: [RegExp, (world: World, ...parts: string[]) => Promise<unknown>][] = [
  [
    /^pending (\S+)$/,
    async (world, amount) => {
      const id = `a${world.one}`
      const row = { ...pending, providerTransactionId: id, amount: cents(amount) }
      const [made] = await world.home.brings(row)
      world.one = made?.transactionId ?? ''
      const { spendingId } = world
      return assign(world.home, world.one, { name: 'Mine', spendingId })
    },
  ],
  [
    /^post (\S+)(?: after (\d+) days)?(?: at (.+))?$/,
    async (world, amount, days = '2', name = 'Deli') => {
      const date = `2026-03-${String(2 + Number(days)).padStart(2, '0')}`
      const texts = { name, merchantName: name, displayName: name }
      const [made] = await world.home.brings({ ...posted, ...texts, date, amount: cents(amount) })
      world.other = made?.transactionId ?? ''
      const { providerTransactionIds } = await world.home.sync.listProviderTransactions(
        { bankAccountId: world.home.bankAccountId },
        world.home.by,
      )
      return world.home.loses(...providerTransactionIds.filter((id) => id.startsWith('a')))
    },
  ],
  [
    /^(accept|reject|separate)$/,
    ({ home, one, other }, step) => {
      const client = booted.client('ledger', SuggestionService)
      const key = { bankAccountId: home.bankAccountId, transactionId: other }
      const suggestion = { kind: 'pending', transactionId: one }
      if (step === 'accept') return client.acceptSuggestion({ ...key, suggestion }, home.as)
      if (step === 'reject') return client.rejectSuggestion({ ...key, suggestion }, home.as)
      return client.separateTransaction({ ...key, transactionId: one }, home.as)
    },
  ],
]

/** Returns what the envelope holds before the last step and after it, and whether all is kept. */
async function run(words: string) {
  const home = await feedHome(booted)
  const envelope = await envelopeOf(home, 10_000n)
  const world = { home, spendingId: envelope.spendingId, one: '', other: '' }
  let before = ''
  for (const word of words.split('; ')) {
    const [pattern, take] = steps.find(([one]) => one.test(word)) ?? []
    if (!pattern || !take) throw new Error(`no step is called ${word}`)
    before = sumOf(await envelope.held())
    await take(world, ...(pattern.exec(word) ?? []).slice(1))
  }
  const [live, ...others] = await home.all()
  expect([live?.isPending, others]).toEqual([false, []])
  const isKept = live?.name === 'Mine' && live.spendingId === envelope.spendingId
  return [words, before, sumOf(await envelope.held()), isKept ? 'yes' : '']
}

test('every tip and hold of the table in docs/money/edges.md holds', async () => {
  const docs = await readFile(new URL('../../../../docs/money/edges.md', import.meta.url), 'utf8')
  const rows = [
    ...docs.matchAll(/^\| (pending [^|]+?) +\| ([\d.]+) +\| ([\d.]+) +\| +(yes)? *\|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(12)
  const seen = await Promise.all(rows.map(([, words = '']) => run(words)))
  expect(seen).toEqual(
    rows.map(([, words, before, after, kept = '']) => [words, before, after, kept]),
  )
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Booted, boot } from '@coffer/host/testing/boot'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { importFile } from '../imports/uploading.ts'
import { listed, refusals } from '../outcomes.ts'

let booted: Booted
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-edges-'))
  booted = await boot([ledger], { COFFER_DATA_DIR: dataDir })
})

afterAll(async () => {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  await booted[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

type World = { home: Household; transactionId: string; spendingId: string; hints: string[] }
type Answer = { hints?: string[]; transaction?: { transactionId: string } | undefined }

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const cents = (text = '') => BigInt(Math.round(Number(text) * 100))
const keyOf = ({ home: { bankAccountId }, transactionId }: World) => ({
  bankAccountId,
  transactionId,
})

function create(world: World, amount: bigint, of: object = {}) {
  const { transactions, bankAccountId, as } = world.home
  const body = { bankAccountId, name: 'Deli', amount, date, adjustsBalance: true, ...of }
  return transactions.createTransaction(body, as)
}

function patch(world: World, fields: object, path: string) {
  const body = { ...keyOf(world), ...fields, updateMask: { paths: [path] } }
  return world.home.transactions.updateTransaction(body, world.home.as)
}

function correct(world: World, fields: object) {
  return world.home.corrections.correctTransaction({ ...keyOf(world), ...fields }, world.home.as)
}

function remove(world: World, adjustsBalance: boolean) {
  const body = { ...keyOf(world), adjustsBalance, soft: true }
  return world.home.transactions.deleteTransaction(body, world.home.as)
}

/** The steps of the table in docs/money/edges.md. */
const steps: [RegExp, (world: World, amount: string) => Promise<Answer | undefined>][] = [
  [
    /^card of a file$/,
    async ({ home }) => {
      await importFile(home, 'card.qfx')
      return undefined
    },
  ],
  [
    /^envelope of (.+)$/,
    async (world, amount) => {
      const { home } = world
      world.spendingId = newId('spnd')
      const { bankAccountId } = home
      const key = { bankAccountId, spendingId: world.spendingId, spendingType: 'expense' }
      await home.envelopes.openEnvelope(key, home.as)
      const moved = { bankAccountId, toSpendingId: world.spendingId, amount: cents(amount) }
      await home.envelopes.transfer(moved, home.as)
      return undefined
    },
  ],
  [/^spend (\S+)$/, (world, amount) => create(world, cents(amount))],
  [/^receive (\S+)$/, (world, amount) => create(world, -cents(amount))],
  [/^pending (\S+)$/, (world, amount) => create(world, cents(amount), { isPending: true })],
  [
    /^note (\S+) of the envelope$/,
    (world, amount) => {
      const { spendingId } = world
      return create(world, cents(amount), { adjustsBalance: false, spendingId })
    },
  ],
  [
    /^spend (\S+) of the envelope$/,
    (world, amount) => create(world, cents(amount), { spendingId: world.spendingId }),
  ],
  [
    /^refund (\S+)$/,
    (world, amount) => create(world, -cents(amount), { refundSpendingId: world.spendingId }),
  ],
  [
    /^note a refund (\S+)$/,
    (world, amount) => {
      const { spendingId: refundSpendingId } = world
      return create(world, -cents(amount), { adjustsBalance: false, refundSpendingId })
    },
  ],
  [/^end the refund$/, (world) => patch(world, {}, 'refund_spending_id')],
  [
    /^empty it$/,
    async ({ home, spendingId: fromSpendingId }) => {
      const { bankAccountId, as } = home
      const { envelopes } = await home.envelopes.listEnvelopes({ bankAccountId }, as)
      const amount = envelopes[0]?.currentAmount ?? 0n
      await home.envelopes.transfer({ bankAccountId, fromSpendingId, amount }, as)
      return undefined
    },
  ],
  [/^note (\S+)$/, (world, amount) => create(world, cents(amount), { adjustsBalance: false })],
  [/^PATCH to (\S+)$/, (world, amount) => patch(world, { amount: cents(amount) }, 'amount')],
  [/^post it$/, (world) => patch(world, { isPending: false }, 'is_pending')],
  [/^correct to posted$/, (world) => correct(world, { isPending: false })],
  [/^correct to (\S+)$/, (world, amount) => correct(world, { amount: cents(amount) })],
  [/^delete$/, (world) => remove(world, false)],
  [/^delete, adjusting$/, (world) => remove(world, true)],
  [/^restore$/, (world) => world.home.transactions.restoreTransaction(keyOf(world), world.home.as)],
]

async function sumsOf({ home }: World) {
  const { current = 0n, available = 0n, free = 0n } = (await home.balances()) ?? {}
  return [current, available, free].map((one) => (Number(one) / 100).toFixed(2)).join(' / ')
}

/** Returns the sums before the last step and after it, and whether its answer has a hint. */
async function run(words: string) {
  const isCard = words.startsWith('card')
  const opening = isCard ? {} : { currentBalance: 100_000n, availableBalance: 100_000n }
  const home = await createHousehold(booted, {
    ...opening,
    accountType: isCard ? 'credit' : 'depository',
  })
  const world: World = { home, transactionId: '', spendingId: '', hints: [] }
  let before = ''
  for (const word of words.split('; ')) {
    const [pattern, take] = steps.find(([one]) => one.test(word)) ?? []
    if (!pattern || !take) throw new Error(`no step is called ${word}`)
    before = await sumsOf(world)
    const answer = await take(world, pattern.exec(word)?.[1] ?? '')
    world.transactionId = answer?.transaction?.transactionId ?? world.transactionId
    world.hints = answer?.hints ?? []
  }
  return [words, before, await sumsOf(world), world.hints.length > 0 ? 'yes' : '']
}

test('every edge of the table in docs/money/edges.md holds', async () => {
  const docs = await readFile(new URL('../../../../docs/money/edges.md', import.meta.url), 'utf8')
  const rows = [
    ...docs.matchAll(/^\| ([^|]+?) +\| (\S+ \/ [^|]+?) +\| ([^|]+?) +\| +(yes)? *\|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(12)
  const seen = await Promise.all(rows.map(([, words = '']) => run(words)))
  expect(seen).toEqual(
    rows.map(([, words, before, after, hint = '']) => [words, before, after, hint]),
  )
})

test('a correction is booked once: at the same time, repeated, and with its envelope', async () => {
  const home = await createHousehold(booted, { currentBalance: 100_000n })
  const world: World = { home, transactionId: '', spendingId: '', hints: [] }
  const { transaction } = await create(world, 1000n)
  const key = { ...keyOf({ ...world, transactionId: transaction?.transactionId ?? '' }) }
  const correct = (body: object) =>
    home.corrections.correctTransaction({ ...key, ...body }, home.as)
  await Promise.all([1, 2, 3, 4].map(() => correct({ amount: 10_000n })))
  expect(await home.balances()).toMatchObject({ current: 90_000n, available: -10_000n })
  await Promise.all([correct({ amount: 2000n }), remove({ ...world, ...key }, true)]).catch(
    () => {},
  )
  await remove({ ...world, ...key }, true)
  expect(await home.balances()).toMatchObject({ current: 100_000n, available: 0n })
  expect(await refusals(correct({ amount: 1n }), correct({}))).toEqual([
    'NotFound',
    'InvalidArgument',
  ])
  expect(await listed(home)).toEqual([])
})

import type { Booted } from '@coffer/host/testing/boot'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import type { Transaction } from '@coffer/proto/ledger/v1/transaction'
import fc from 'fast-check'
import { aRow, envelopeOf, feedHome, syncedHome } from '../syncs/syncing.ts'
import {
  applyRules,
  fields,
  type ModelChange,
  type ModelJoin,
  type ModelRow,
  type ModelRule,
  newRow,
} from './rule-model.ts'
import type { Parts } from './ruling.ts'

export const words = ['deli', 'taxi'] as const

/** Random numbers, of which an operation takes what it needs. */
export const choice = fc.record({
  kind: fc.constantFrom(
    ...(['bring', 'post', 'tip', 'file', 'undoFile', 'edit', 'edit', 'edit', 'edit'] as const),
    ...(['tip', 'separate', 'joinAndSeparate', 'accept', 'accept'] as const),
    ...(['rule', 'change', 'change', 'remove', 'order', 'run', 'run', 'undoRun'] as const),
    ...(['runAndPost', 'runAndEdit', 'runAndUndo', 'runAndUndo'] as const),
  ),
  pick: fc.nat(1_000),
  word: fc.constantFrom(...words),
  field: fc.constantFrom(...fields),
  some: fc.subarray([...fields], { minLength: 3 }),
  isPending: fc.option(fc.boolean(), { nil: undefined }),
  isRefund: fc.boolean(),
})
export type Choice = typeof choice extends fc.Arbitrary<infer One> ? One : never

/** Creates an account with a synced and a manual bank account, each with an envelope. */
export async function createWorld(booted: Booted, isFeed: boolean) {
  const fed = await (isFeed ? feedHome : syncedHome)(booted)
  const manual = await createHousehold(booted, { accountId: fed.accountId })
  const owners = new Map<string, string>()
  // The second one cannot pay all.
  for (const [home, amount] of [fed, manual].flatMap(
    (one) =>
      [
        [one, 5_000n],
        [one, 700n],
      ] as const,
  )) {
    const { spendingId } = await envelopeOf({ ...fed, ...home, account: fed.account }, amount)
    owners.set(spendingId, home.bankAccountId)
  }
  return {
    isFeed,
    fed,
    manual,
    owners,
    rows: [] as ModelRow[],
    rules: [] as ModelRule[],
    runs: [] as { ruleRunId: string; changes: ModelChange[] }[],
    uploads: [] as { id: string; rows: ModelRow[] }[],
    providerIds: new Map<ModelRow, string>(),
    joins: [] as ModelJoin[],
    serial: 0,
  }
}
export type World = Awaited<ReturnType<typeof createWorld>>

export const at = <T>(list: readonly T[], pick: number) => list[pick % Math.max(list.length, 1)]
export const live = ({ rows }: World) => rows.filter(({ isGone }) => !isGone)
export const pendingIn = (world: World) => live(world).filter(({ isPending }) => isPending)

/** Returns a day for one row only, far enough from others that a sync never joins the two. */
export function nextDate(world: World): string {
  world.serial += 1
  return new Date(Date.UTC(2024, 0, 1 + 20 * world.serial)).toISOString().slice(0, 10)
}

export function store(world: World, of: Omit<ModelRow, 'isGone' | 'fields'>): ModelRow {
  const row = newRow(of)
  applyRules(row, world.rules, world.owners)
  world.rows.push(row)
  return row
}

/** Brings a row under an ID; an aggregator's may name the ID of the pending row. */
export function brings({ fed, providerIds }: World, row: ModelRow, id: string, pendingId?: string) {
  const { text, amount, date, isPending } = row
  providerIds.set(row, id)
  const texts = { displayName: text, originalName: text, name: text, merchantName: '' }
  const named = pendingId === undefined ? {} : { pendingProviderTransactionId: pendingId }
  const ids = { providerTransactionId: id, ...named }
  return fed.brings(aRow({ ...texts, amount, date, isPending, ...ids }))
}

export function partsOf(
  world: World,
  { word, isPending, some, pick }: Choice,
): { rule: Omit<ModelRule, 'ruleId'>; parts: Pick<Parts, 'conditions' | 'actions'> } {
  const isText = isPending === undefined || pick % 2 === 0
  const posting = isPending === undefined ? {} : { isPending }
  const ids = [...world.owners.keys()]
  const values = {
    name: `Name ${pick % 5}`,
    merchantName: `Shop ${pick % 3}`,
    notes: `Note ${pick % 4}`,
    tags: [`t${pick % 3}`, `u${pick % 2}`],
    spendingId: at(ids, pick) ?? '',
  }
  const actions: Partial<typeof values> = Object.fromEntries(
    some.map((field) => [field, values[field]]),
  )
  const refundId = actions.spendingId && at(ids, pick >> 2)
  return {
    rule: { ...(isText ? { word } : {}), ...posting, actions, refundId },
    parts: {
      conditions: {
        ...posting,
        ...(isText ? { originalName: { kind: 'contains', text: word } } : {}),
      },
      actions: { ...actions, ...(refundId && { refundSpendingId: refundId }) },
    },
  }
}

/** Returns the live transactions of both bank accounts, by their day. */
export async function read({ fed, manual }: World): Promise<Map<string, Transaction>> {
  const lists = [fed, manual].map(({ bankAccountId }) =>
    fed.transactions.listTransactions({ bankAccountId, limit: 100, offset: 0 }, fed.as),
  )
  const all = (await Promise.all(lists)).flatMap(({ transactions }) => transactions)
  const dayOf = ({ date }: Transaction) =>
    new Date(Number(date?.seconds ?? 0n) * 1_000).toISOString().slice(0, 10)
  return new Map(all.map((one) => [dayOf(one), one]))
}

/** Returns the amounts of all transactions, envelopes and bank accounts. */
export async function readMoney({ fed, manual }: World) {
  const ids = [fed, manual].map(({ bankAccountId }) => bankAccountId)
  const { as, transactions, envelopes, bankAccounts } = fed
  return Promise.all(
    ids.map(async (bankAccountId) => [
      (await transactions.listTransactions({ bankAccountId, limit: 100, offset: 0 }, as))
        .transactions,
      (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes.map(
        ({ spendingId, currentAmount }) => [spendingId, currentAmount],
      ),
      (await bankAccounts.getBalances({ bankAccountId }, as)).balances,
    ]),
  )
}

/** Brings a pending row and one that may be its posted state, a day later. */
export async function bringPair(world: World, word: string) {
  const { bankAccountId } = world.fed
  const text = `${word.toUpperCase()} STREET`
  const date = nextDate(world)
  const later = new Date(+new Date(date) + 86_400_000).toISOString().slice(0, 10)
  const pending = store(world, { bankAccountId, text, date, amount: 1_000n, isPending: true })
  const [one] = await brings(world, pending, newId('p'))
  const of = { bankAccountId, text, date: later, amount: 1_600n, isPending: false }
  const posted = store(world, of)
  const [other] = await brings(world, posted, newId('p'))
  const transactionId = other?.transactionId ?? ''
  return {
    pending,
    posted,
    key: { bankAccountId, transactionId, pendingId: one?.transactionId ?? '' },
  }
}

/** Posts a pending row under another text. */
export async function postOnce(world: World, row: ModelRow, text: string): Promise<void> {
  Object.assign(row, { isPending: false, text })
  applyRules(row, world.rules, world.owners)
  const id = world.providerIds.get(row) ?? ''
  await (world.isFeed ? brings(world, row, id) : brings(world, row, newId('p'), id))
}

/** Returns a statement file with these rows. */
export function fileOf(rows: readonly ModelRow[]): string {
  const list = rows.map(({ date, text, amount }) => {
    const money = (Number(-amount) / 100).toFixed(2)
    const day = date.replaceAll('-', '')
    const start = `<STMTTRN><TRNTYPE>POS<DTPOSTED>${day}120000<TRNAMT>${money}`
    return `${start}<FITID>${newId('f')}<NAME>${text}</STMTTRN>`
  })
  const head = '<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>'
  return `${head}${list.join('\n')}</BANKTRANLIST></STMTRS></OFX>`
}

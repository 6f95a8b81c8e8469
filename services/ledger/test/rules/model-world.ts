import type { Booted } from '@coffer/host/testing/boot'
import { createHousehold } from '@coffer/host/testing/household'
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
    ...(['tip', 'separate', 'joinAndSeparate'] as const),
    ...(['rule', 'change', 'change', 'remove', 'order', 'run', 'run', 'undoRun'] as const),
    ...(['runAndPost', 'runAndEdit'] as const),
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
  for (const home of [fed, manual]) {
    const { spendingId } = await envelopeOf({ ...fed, ...home, account: fed.account }, 5_000n)
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
  const values = {
    name: `Name ${pick % 5}`,
    merchantName: `Shop ${pick % 3}`,
    notes: `Note ${pick % 4}`,
    tags: [`t${pick % 3}`, `u${pick % 2}`],
    spendingId: at([...world.owners.keys()], pick) ?? '',
  }
  const actions: Partial<typeof values> = Object.fromEntries(
    some.map((field) => [field, values[field]]),
  )
  const { spendingId } = actions
  return {
    rule: { ...(isText ? { word } : {}), ...posting, actions },
    parts: {
      conditions: {
        ...posting,
        ...(isText ? { originalName: { kind: 'contains', text: word } } : {}),
      },
      actions: { ...actions, ...(spendingId && { refundSpendingId: spendingId }) },
    },
  }
}

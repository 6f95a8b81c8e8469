import { sampleSize } from '@coffer/kit/testing/sample-size'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aProviderRow } from '../../test/imports/samples.ts'
import {
  bring,
  check,
  drop,
  edit,
  emptyWorld,
  liveIn,
  START,
  type World,
} from '../../test/syncs/synced-world.ts'
import { liveRecord } from '../records/transaction-records.ts'
import type { ProviderRow } from './provider-transaction.ts'

const DAY = 86_400_000

/** A row of a feed's list; days after START, IDs and amounts as chosen by the bank. */
type Row = { id: string; amount: bigint; day: number; isPending: boolean; name?: string }
/**
 * How the client reads a list: in which order, and in calls of how many rows; or all rows of a
 * number of days in each call.
 */
type Reading = { seed: number; callSize: number; isByDay: boolean }

const readings: fc.Arbitrary<Reading> = fc.record({
  seed: fc.nat(),
  callSize: fc.integer({ min: 1, max: 8 }),
  isByDay: fc.boolean(),
})

/**
 * Imports a whole list as feed-sync does: in calls; then removes the live IDs it lacks, and imports
 * the calls with pending rows again.
 */
function sync(world: World, rows: readonly Row[], reading: Reading): number {
  let changes = 0
  const bringAll = (calls: readonly ProviderRow[][]) => {
    for (const call of calls) {
      const wholeDays = reading.isByDay ? call.map(({ date }) => date) : []
      const { transactions, records } = bring(world, call, wholeDays)
      changes += transactions.length + records.length
    }
  }
  const calls = callsOf(rows, reading)
  bringAll(calls)
  const listed = new Set(rows.map(({ id }) => id))
  const missing = [...liveIds(world).keys()].filter((id) => !listed.has(id))
  changes += drop(world, missing).records.length
  if (missing.length > 0) bringAll(calls.filter((call) => call.some((one) => one.isPending)))
  check(world)
  return changes
}

function callsOf(rows: readonly Row[], { seed, callSize, isByDay }: Reading): ProviderRow[][] {
  const list = shuffled(rows, seed)
  const days = [...new Set(list.map(({ day }) => day))].sort((a, b) => a - b)
  const parts = isByDay ? days.map((day) => list.filter((row) => row.day === day)) : list
  const calls: ProviderRow[][] = []
  for (let from = 0; from < parts.length; from += callSize) {
    calls.push(
      parts
        .slice(from, from + callSize)
        .flat()
        .map(rowOf),
    )
  }
  return calls
}

function rowOf({ id, amount, day, isPending, name = 'Deli' }: Row): ProviderRow {
  const date = new Date(START + day * DAY)
  const texts = { name, displayName: name, merchantName: '' }
  return aProviderRow({ ...texts, providerTransactionId: id, amount, date, isPending })
}

/** Maps the live provider IDs to their transaction IDs. */
function liveIds(world: World): Map<string, string> {
  return new Map(
    liveIn(world).map(({ transaction, records }) => {
      return [liveRecord({ records })?.providerTransactionId ?? '', transaction.transactionId]
    }),
  )
}

function shuffled<Value>(values: readonly Value[], seed: number): Value[] {
  const rank = (index: number) =>
    (Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(index + 1, 40_503)) >>> 0
  return values
    .map((value, index) => ({ value, rank: rank(index) % 9973 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

const SYNCS = 6

/**
 * A purchase as a feed lists it: `pending` in the first to the last of these syncs (null: never),
 * `posted` from this sync on, `later` days after, under the same ID if `keepsId`.
 */
type Purchase = {
  pending: { from: number; to: number } | null
  posted: number
  day: number
  later: number
  keepsId: boolean
}

const purchases: fc.Arbitrary<Purchase> = fc
  .record({
    from: fc.integer({ min: 0, max: SYNCS - 2 }),
    length: fc.integer({ min: 0, max: SYNCS }),
    isPended: fc.boolean(),
    posted: fc.integer({ min: 0, max: SYNCS - 2 }),
    day: fc.integer({ min: 0, max: 3 }),
    later: fc.integer({ min: -1, max: 10 }),
    keepsId: fc.boolean(),
  })
  .map(({ from, length, isPended, posted, day, later, keepsId }) => ({
    // The last two lists have no pending rows.
    pending: isPended ? { from, to: Math.min(from + length, SYNCS - 3) } : null,
    posted,
    day,
    // A pending row of the next day counts as another purchase unless it is imported first.
    later: isPended && from >= posted ? Math.max(0, later) : later,
    keepsId,
  }))

/** Returns the rows of a purchase in the list of a sync: none, pending, posted, or both. */
function rowsOf(purchase: Purchase, serial: number, step: number): Row[] {
  const { pending, posted, day, later, keepsId } = purchase
  // Amounts that are no tip of another, so that a client can tell the purchases apart.
  const amount = 200n << BigInt(serial)
  const isPosted = step >= posted
  const isPending = pending !== null && step >= pending.from && step <= pending.to
  const early = { id: `p${serial}`, amount, day, isPending: true }
  const late = { id: keepsId ? `p${serial}` : `b${serial}`, amount, day: day + later }
  return [
    ...(isPending && !(keepsId && isPosted) ? [early] : []),
    ...(isPosted ? [{ ...late, isPending: false }] : []),
  ]
}

test('each purchase is one transaction, with its ID and edits, however it is listed', () => {
  const scripts = fc.record({
    bought: fc.array(purchases, { minLength: 1, maxLength: 5 }),
    readings: fc.array(readings, { minLength: SYNCS, maxLength: SYNCS }),
    edits: fc.array(fc.nat(), { minLength: SYNCS, maxLength: SYNCS }),
  })
  fc.assert(
    fc.property(scripts, ({ bought, readings: ways, edits }) => {
      const world = emptyWorld('feed')
      const firstIds = new Map<bigint, string>()
      for (const [step, way] of ways.entries()) {
        const listed = bought.map((one, serial) => rowsOf(one, serial, step))
        sync(world, listed.flat(), way)
        const expected = listed.flatMap((rows) => rows.at(-1) ?? [])
        const live = liveIn(world).map(({ transaction }) => transaction)
        expect(live.map(stateOf).sort()).toEqual(expected.map(rowOf).map(stateOf).sort())
        for (const { amount, transactionId } of live) {
          expect(transactionId).toBe(firstIds.get(amount) ?? transactionId)
          firstIds.set(amount, transactionId)
        }
        edit(world, edits[step] ?? 0)
        check(world)
      }
    }),
    { numRuns: sampleSize(200) },
  )
})

function stateOf(of: { amount: bigint; date: Date; isPending: boolean }): string {
  return `${of.amount} ${of.date.toISOString()} ${of.isPending}`
}

// Few different amounts and texts: no client can tell which pending row a posted one replaces.
const rows: fc.Arbitrary<Row> = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  amount: fc.constantFrom(700n, 900n),
  day: fc.integer({ min: 0, max: 12 }),
  isPending: fc.boolean(),
  name: fc.constantFrom('Deli', 'Deli', 'Garage'),
})
const lists = fc.uniqueArray(rows, { selector: ({ id }) => id, maxLength: 5 })

test('of purchases that look equal, each posted one is a transaction of its own', () => {
  const scripts = fc.array(fc.tuple(lists, readings, fc.nat()), { maxLength: 8 })
  fc.assert(
    fc.property(scripts, (taken) => {
      const world = emptyWorld('feed')
      const everPosted = new Set<string>()
      for (const [list, way, pick] of taken) {
        const posted = list.filter(({ isPending }) => !isPending).map(({ id }) => id)
        for (const id of posted) everPosted.add(id)
        sync(world, list, way)
        expectPendingShown(world, list, everPosted)
        edit(world, pick)
        sync(world, list, way)
        const live = liveIds(world)
        expect([...live.keys()]).toEqual(expect.arrayContaining(posted))
        expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining([...live.keys()]))
        for (const { id, ...row } of list.filter((one) => live.has(one.id))) {
          const { transaction } = world.known.get(live.get(id) ?? '') ?? {}
          expect(transaction && stateOf(transaction)).toBe(stateOf(rowOf({ id, ...row })))
        }
        expect(sync(world, list, way)).toBe(0)
      }
    }),
    { numRuns: sampleSize(200) },
  )
})

/** At most one pending row is not shown for each row that is or was posted. */
function expectPendingShown(world: World, list: readonly Row[], posted: ReadonlySet<string>): void {
  const live = liveIds(world)
  const hidden = list.filter(({ id, isPending }) => isPending && !live.has(id))
  expect(hidden.length).toBeLessThanOrEqual(list.filter(({ id }) => posted.has(id)).length)
}

/** A row of a list without its ID. */
type Bought = Omit<Row, 'id'>

const boughtRows: fc.Arbitrary<Bought> = fc.record({
  amount: fc.constantFrom(700n, 900n),
  day: fc.integer({ min: 0, max: 3 }),
  isPending: fc.boolean(),
  name: fc.constantFrom('Deli', 'Garage'),
})

/** Maps the content of each live transaction to the sorted IDs of those that have it. */
function idsByContent(world: World): Map<string, string[]> {
  const live = liveIn(world).map((synced) => {
    const { name = '', isPending, amount, date } = liveRecord(synced) ?? {}
    const day = date && Math.round((date.getTime() - START) / DAY)
    const content = JSON.stringify([String(amount), day, isPending, name])
    return { content, id: synced.transaction.transactionId }
  })
  const groups = Map.groupBy(live, ({ content }) => content)
  return new Map([...groups].map(([content, of]) => [content, of.map(({ id }) => id).sort()]))
}

test('new IDs of all rows, and their former IDs again, keep every transaction', () => {
  const scripts = fc.record({
    bought: fc.array(boughtRows, { minLength: 1, maxLength: 8 }),
    prefixes: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 }),
    reading: readings.map((one) => ({ ...one, isByDay: true })),
  })
  fc.assert(
    fc.property(scripts, ({ bought, prefixes, reading }) => {
      const world = emptyWorld('feed')
      const listUnder = (prefix: string) => {
        return bought.map((one, serial): Row => {
          // No posted row equals a pending one, so that neither is taken for the other.
          const amount = one.isPending ? BigInt(1000 + serial) : one.amount
          return { ...one, amount, id: `${prefix}${serial}` }
        })
      }
      sync(world, listUnder('a'), reading)
      for (let index = 0; index < bought.length; index += 2) edit(world, index)
      const before = idsByContent(world)
      for (const prefix of prefixes) {
        const renewed = listUnder(prefix)
        sync(world, renewed, reading)
        expect(idsByContent(world)).toEqual(before)
        expect(sync(world, renewed, reading)).toBe(0)
      }
    }),
    { numRuns: sampleSize(200) },
  )
})

test('of equal purchases with new IDs the edited ones are kept', () => {
  const scripts = fc.record({
    count: fc.integer({ min: 1, max: 6 }),
    kept: fc.integer({ min: 0, max: 6 }),
    edits: fc.array(fc.nat(5), { maxLength: 3 }),
    reading: readings.map((one) => ({ ...one, isByDay: true })),
  })
  fc.assert(
    fc.property(scripts, ({ count, kept, edits, reading }) => {
      const world = emptyWorld('feed')
      const list = (prefix: string, length: number) =>
        Array.from({ length }, (_, serial): Row => {
          return { id: `${prefix}${serial}`, amount: 700n, day: 1, isPending: false }
        })
      sync(world, list('a', count), reading)
      for (const pick of edits) edit(world, pick)
      const before = liveIn(world).map(({ transaction }) => transaction.transactionId)
      const edited = before.filter((id) => world.names.has(id))
      sync(world, list('b', kept), reading)
      const after = liveIn(world).map(({ transaction }) => transaction.transactionId)
      expect(after).toHaveLength(kept)
      expect(after.filter((id) => before.includes(id))).toHaveLength(Math.min(count, kept))
      expect(after.filter((id) => edited.includes(id))).toHaveLength(Math.min(edited.length, kept))
    }),
    { numRuns: sampleSize(100) },
  )
})

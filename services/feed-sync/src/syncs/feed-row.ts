import { createHash } from 'node:crypto'
import { toMessage } from '@coffer/kit/rpc/message'
import { parseExact } from '@coffer/kit/values/decimal'
import { toPrintable } from '@coffer/kit/values/printable'
import {
  type ProviderTransaction,
  ProviderTransactionSchema,
} from '@coffer/proto/ledger/v1/sync_import'
import { isDay, isImportedDay } from '@coffer/sync-kit/provider/row-values'
import type { OfferedTransaction } from '../provider/lunch-flow.ts'

/** Readable rows of an answer by ascending day, each ID once. */
export interface ReadableRows {
  /** The selected rows, for `toProviderTransaction`. */
  readable: Row[]
  /** Number of skipped rows: bad amount, day or currency. */
  skipped: number
  /** IDs of all rows, skipped ones included: the provider still has these transactions. */
  ids: ReadonlySet<string>
  /** Days without a skipped row; empty if a skipped row has no valid day. */
  readableDays: ReadonlySet<string>
}

const textLengthMax = 300
const rawBytesMax = 65_536

/** A transaction of the provider with its ID or a generated one. */
export type Row = OfferedTransaction & { id: string }

const isIdentified = (row: OfferedTransaction): row is Row => row.id !== null

/**
 * Selects the provider's rows that the ledger can store (docs/banks/feed.md#rows).
 * `currency`: that of the bank account; `lastDay`: YYYY-MM-DD, rows of a later day are skipped.
 */
export function selectRows(
  rows: readonly OfferedTransaction[],
  { currency, lastDay }: { currency: string; lastDay: string },
): ReadableRows {
  const identified = identify(rows)
  const latest = new Map<string, Row>()
  for (const row of identified) {
    if (!row.isPending || latest.get(row.id)?.isPending !== false) latest.set(row.id, row)
  }
  const readable = [...latest.values()].filter(
    (row) => isDayOf(row, lastDay) && amountOf(row, currency) !== null,
  )
  readable.sort((a, b) => compare(a.date, b.date))
  const kept = new Set(readable)
  const skipped = [...latest.values()].filter((row) => !kept.has(row))
  return {
    readable,
    skipped: skipped.length,
    ids: new Set(latest.keys()),
    readableDays: readableDaysOf(readable, skipped, lastDay),
  }
}

function readableDaysOf(
  readable: readonly Row[],
  skipped: readonly Row[],
  lastDay: string,
): Set<string> {
  if (skipped.some((row) => !isDayOf(row, lastDay))) return new Set()
  const days = new Set(readable.map(({ date }) => date))
  for (const { date } of skipped) days.delete(date)
  return days
}

/** At most 500 rows, and the days of which the batch has all rows in the provider's list. */
export interface RowBatch {
  rows: Row[]
  wholeDays: string[]
}

// Maximum number of transactions in a call of ImportTransactions.
const batchSize = 500

/**
 * Yields rows in batches, split between two days where possible. A day of more than 500 rows is
 * split over several batches, and then no batch lists it as complete. `readable` is by ascending
 * day.
 */
export function* batchRows({
  readable,
  readableDays,
}: Pick<ReadableRows, 'readable' | 'readableDays'>): Generator<RowBatch> {
  let end = 0
  for (let start = 0; start < readable.length; start = end) {
    end = endOfBatch(readable, start)
    const rows = readable.slice(start, end)
    const days = new Set(rows.map(({ date }) => date))
    for (const next of [readable[start - 1], readable[end]]) days.delete(next?.date ?? '')
    yield { rows, wholeDays: [...days].filter((day) => readableDays.has(day)) }
  }
}

/** Returns the index after the last row of a batch. */
function endOfBatch(readable: readonly Row[], start: number): number {
  const full = Math.min(start + batchSize, readable.length)
  const next = readable[full]?.date
  let end = full
  while (end > start && readable[end - 1]?.date === next) end -= 1
  return end === start ? full : end
}

/**
 * Generates IDs for pending rows without one, from day, amount, currency and an ordinal among equal
 * rows. The texts only determine the order of equal rows, because banks change the texts of pending
 * transactions.
 */
function identify(rows: readonly OfferedTransaction[]): Row[] {
  const keyOf = ({ date, amount, currency }: OfferedTransaction) =>
    JSON.stringify([date, amount, currency])
  const nameless = Map.groupBy(
    rows.filter(({ id }) => id === null),
    keyOf,
  )
  const idOf = new Map<OfferedTransaction, string>()
  for (const [key, equal] of nameless) {
    const hash = createHash('sha256').update(key).digest('hex').slice(0, 24)
    const ordered = equal.toSorted((a, b) => compare(textsOf(a), textsOf(b)))
    for (const [index, row] of ordered.entries()) idOf.set(row, `pending:${hash}:${index}`)
  }
  return rows.map((row) => (isIdentified(row) ? row : { ...row, id: idOf.get(row) ?? '' }))
}

function isDayOf({ date }: Row, lastDay: string): boolean {
  return isDay(date) && isImportedDay(date, lastDay)
}

/** Returns the amount of a row in minor units; null if it is inexact or in another currency. */
function amountOf(row: Row, currency: string): bigint | null {
  const stated = row.currency?.trim().toUpperCase() || currency
  return stated === currency ? parseExact(row.amount, currency) : null
}

/**
 * Converts a readable row for an import by the ledger, in the currency of the bank account. Inverts
 * the sign: in the ledger a positive amount leaves the account.
 */
export function toProviderTransaction(row: Row, currency: string): ProviderTransaction {
  const merchant = printable(row.merchant)
  const description = printable(row.description)
  const generated = `Transaction ${row.date} ${row.amount} ${currency}`
  const originalName = description || merchant || generated
  const raw = JSON.stringify(row)
  return toMessage(ProviderTransactionSchema, {
    providerTransactionId: row.id,
    amount: -(amountOf(row, currency) ?? 0n),
    currency,
    date: row.date,
    displayName: merchant || description || generated,
    originalName,
    name: originalName,
    merchantName: merchant,
    isPending: row.isPending,
    raw: Buffer.byteLength(raw) <= rawBytesMax ? raw : null,
  })
}

function textsOf({ merchant, description }: OfferedTransaction): string {
  return `${merchant}\n${description}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function printable(text: string): string {
  return toPrintable(text, { lengthMax: textLengthMax, instead: ' ' })
}

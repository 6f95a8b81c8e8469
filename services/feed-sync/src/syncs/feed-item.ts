import { createHash } from 'node:crypto'
import { toPrintable } from '@coffer/kit/values/printable'
import { type OfferedTransaction, parseExact } from '../provider/lunch-flow.ts'

/** A transaction as the ledger imports it (`ProviderTransaction` in sync_import.proto). */
export interface FeedItem {
  providerTransactionId: string
  /** Minor units; positive amounts leave the account. */
  amount: bigint
  currency: string
  /** YYYY-MM-DD */
  date: string
  displayName: string
  originalName: string
  name: string
  merchantName: string
  isPending: boolean
  /** JSON of the provider's fields; unset above 64 KiB. */
  raw?: string
}

/** Items of an answer by ascending day, each ID once. */
export interface FeedItems {
  items: FeedItem[]
  /** Number of rows that are left out: bad amount, day or currency. */
  skipped: number
  /** IDs of all rows, skipped ones included: the provider still has these transactions. */
  ids: ReadonlySet<string>
}

const textLengthMax = 300
const rawBytesMax = 65_536
const firstDay = '1970-01-01'

type Row = OfferedTransaction & { id: string }

/**
 * Converts the provider's rows to items of the ledger (docs/syncs.md#items-of-a-feed). `currency`:
 * that of the bank account; `lastDay`: YYYY-MM-DD, rows of a later day are skipped.
 */
export function readItems(
  rows: readonly OfferedTransaction[],
  { currency, lastDay }: { currency: string; lastDay: string },
): FeedItems {
  const identified = identify(rows)
  const latest = new Map<string, Row>()
  for (const row of identified) {
    if (!row.isPending || latest.get(row.id)?.isPending !== false) latest.set(row.id, row)
  }
  const items = [...latest.values()].flatMap((row) => itemOf(row, { currency, lastDay }) ?? [])
  items.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)))
  return { items, skipped: latest.size - items.length, ids: new Set(latest.keys()) }
}

/**
 * Gives pending rows without an ID one of their day, amount and currency, with an ordinal among
 * equal rows. Their texts only order them, because banks change the texts while they are pending.
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
  return rows.map((row) => ({ ...row, id: row.id ?? idOf.get(row) ?? '' }))
}

function itemOf(row: Row, of: { currency: string; lastDay: string }): FeedItem | null {
  const currency = row.currency?.trim().toUpperCase() || of.currency
  const amount = parseExact(row.amount, currency)
  if (amount === null || currency !== of.currency || !isDay(row.date, of.lastDay)) return null
  const merchant = printable(row.merchant)
  const description = printable(row.description)
  const generated = `Transaction ${row.date} ${row.amount} ${currency}`
  const originalName = description || merchant || generated
  const raw = JSON.stringify(row)
  return {
    providerTransactionId: row.id,
    amount: -amount,
    currency,
    date: row.date,
    displayName: merchant || description || generated,
    originalName,
    name: originalName,
    merchantName: merchant,
    isPending: row.isPending,
    ...(Buffer.byteLength(raw) <= rawBytesMax ? { raw } : {}),
  }
}

/** Returns whether a text is a calendar day, not before 1970 and not after the last day. */
function isDay(text: string, lastDay: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < firstDay || text > lastDay) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
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

import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { readDay, startOfDay } from '@coffer/kit/values/day'
import { isExact } from '@coffer/kit/values/money'
import type { ProviderTransaction } from '@coffer/proto/ledger/v1/sync_import'
import { cut, oneLine } from '../imports/formats/statement-rows.ts'
import { sourceOf } from './link-source.ts'
import type { Listed, ProviderRow } from './provider-transaction.ts'

/** Maximum number of rows in one import call (docs/syncs.md#import-calls). */
const batchSizeMax = 500

const idLengthMax = 200
const rawBytesMax = 65_536
const categoriesMax = 20
const nameLengthMax = 300
const originalNameLengthMax = 2000

/** A provider's transaction that is skipped, because its amount or day is unreadable. */
export type Unreadable = { providerTransactionId: string; reason: 'amount' | 'date' }

/**
 * Returns a provider's transactions, with overlong texts cut off, and days as midnight in
 * `timezone`. Transactions with an unreadable amount or day are returned separately, so that they
 * do not block the readable ones. Throws `invalid` for too many rows, an invalid ID, or too much
 * JSON.
 */
export function readRows(
  messages: readonly ProviderTransaction[],
  { providerAccountId, timezone }: { providerAccountId: string; timezone: string },
): { rows: ProviderRow[]; unreadable: Unreadable[] } {
  requireBatch({ transactions: messages.length })
  requireIds({ providerAccountId })
  const read: { rows: ProviderRow[]; unreadable: Unreadable[] } = { rows: [], unreadable: [] }
  for (const [index, message] of messages.entries()) {
    const { providerTransactionId, pendingProviderTransactionId, raw } = message
    requireIds({ providerTransactionId, pendingProviderTransactionId }, ['transactions', index])
    requireRaw(raw, ['transactions', index])
    const date = midnightOfDay(message.date, timezone)
    if (date === null || !isExact(message.amount)) {
      read.unreadable.push({ providerTransactionId, reason: date === null ? 'date' : 'amount' })
      continue
    }
    const authorizedDate = midnightOfDay(message.authorizedDate ?? '', timezone)
    read.rows.push({ ...textsOf(message), providerAccountId, date, authorizedDate })
  }
  return read
}

/**
 * Returns the IDs of an import call, and the days that it lists completely (`wholeDays`), without
 * days that do not exist in `timezone`. Only a feed lists whole days; those of other callers are
 * ignored. Throws `invalid` for too many days.
 */
export function readListed(
  call: { transactions: readonly ProviderTransaction[]; wholeDays: readonly string[] },
  { timezone, issuer }: { timezone: string; issuer: string },
): Listed {
  const { transactions, wholeDays } = call
  requireBatch({ wholeDays: wholeDays.length })
  const days = sourceOf(issuer) === 'feed' ? wholeDays : []
  return {
    ids: new Set(transactions.map(({ providerTransactionId }) => providerTransactionId)),
    wholeDays: new Set(days.flatMap((day) => readDay(day) ?? [])),
    timezone,
  }
}

/** Throws `invalid` for lists of more than 500 rows; `sizes` are their lengths by field name. */
export function requireBatch(sizes: Record<string, number>): void {
  const text = `must have at most ${batchSizeMax} entries`
  requireAll(sizes, (size) => size <= batchSizeMax, { path: [], text })
}

/** Throws `invalid` unless each ID is undefined, or has 1 to 200 characters on one line. */
export function requireIds(
  ids: Record<string, string | undefined>,
  path: readonly (string | number)[] = [],
): void {
  const isId = (id: string) => id !== '' && id.length <= idLengthMax && id === oneLine(id)
  const text = `must have 1 to ${idLengthMax} characters on one line`
  requireAll(ids, isId, { path, text })
}

/** Throws `invalid` for a provider's JSON of more than 64 KiB. */
export function requireRaw(raw: string | undefined, path: readonly (string | number)[]): void {
  const isSmall = (text: string) => Buffer.byteLength(text) <= rawBytesMax
  requireAll({ raw }, isSmall, { path, text: `must have at most ${rawBytesMax} bytes` })
}

/** Throws `invalid` for amounts outside ±2^53−1 minor units. */
export function requireAmounts(
  amounts: Record<string, bigint | undefined>,
  path: readonly (string | number)[],
): void {
  requireAll(amounts, isExact, { path, text: 'must be within ±9007199254740991' })
}

/** Returns a provider's JSON without what Postgres rejects: NUL and lone surrogates. */
export function rawOf(raw: string | undefined): string | null {
  return raw?.toWellFormed().replaceAll('\0', '') ?? null
}

/** Returns a name on one line, cut to 300 UTF-16 units. */
export function nameOf(text: string): string {
  return cut(oneLine(text), nameLengthMax)
}

function textsOf(message: ProviderTransaction): Omit<ProviderRow, 'date' | 'authorizedDate'> {
  const displayName = nameOf(message.displayName)
  return {
    providerTransactionId: message.providerTransactionId,
    providerAccountId: '',
    pendingProviderTransactionId: message.pendingProviderTransactionId ?? null,
    amount: message.amount,
    currency: message.currency,
    name: cut(oneLine(message.name), originalNameLengthMax),
    merchantName: nameOf(message.merchantName),
    categories: message.categories.slice(0, categoriesMax).map(nameOf),
    category: nameOf(message.category ?? '') || null,
    isPending: message.isPending,
    raw: rawOf(message.raw),
    displayName,
    originalName: cut(oneLine(message.originalName), originalNameLengthMax) || displayName,
  }
}

/** Returns midnight of a day (YYYY-MM-DD) in a timezone; null for no such day. */
function midnightOfDay(text: string, timezone: string): Date | null {
  const day = readDay(text)
  return day === null ? null : new Date(startOfDay(day, timezone))
}

/** Throws `invalid`, naming each value that is defined and fails the check `isRight`. */
function requireAll<Value>(
  values: Record<string, Value | undefined>,
  isRight: (value: Value) => boolean,
  { path, text }: { path: readonly (string | number)[]; text: string },
): void {
  const wrong = Object.entries(values).filter(([, one]) => one !== undefined && !isRight(one))
  if (wrong.length > 0) {
    const problems: Problems = Object.fromEntries(wrong.map(([key]) => [key, text]))
    throw invalid(path.reduceRight<Problems>((inner, key) => ({ [key]: inner }), problems))
  }
}

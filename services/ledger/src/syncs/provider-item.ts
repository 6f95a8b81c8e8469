import { invalid, type Problems } from '@coffer/kit/rpc/errors'
import { isExact } from '@coffer/kit/values/money'
import type { ProviderTransaction } from '@coffer/proto/ledger/v1/sync_import'
import { cut, oneLine } from '../imports/formats/statement-rows.ts'
import { midnightsIn } from '../imports/formats/statement-values.ts'
import type { ProviderItem } from './provider-transaction.ts'

/** Rows that one call of an import may have. */
const batchSizeMax = 500

const idLengthMax = 200
const rawBytesMax = 65_536
const categoriesMax = 20
const nameLengthMax = 300
const originalNameLengthMax = 2000
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/

/** Why an item is left out: what the provider wrote is no amount, or no day. */
export type Unreadable = { providerTransactionId: string; reason: 'amount' | 'date' }

/**
 * A provider's transactions within bounds: texts on one line and cut, days at midnight in the
 * timezone. One that a provider has written wrong is left out, as others must not wait for it; what
 * only a caller can get wrong (no ID, too many rows) is refused.
 */
export function readItems(
  messages: readonly ProviderTransaction[],
  { providerAccountId, timezone }: { providerAccountId: string; timezone: string },
): { items: ProviderItem[]; unreadable: Unreadable[] } {
  requireBatch({ transactions: messages.length })
  requireIds({ providerAccountId })
  const midnight = dayReader(timezone)
  const read: { items: ProviderItem[]; unreadable: Unreadable[] } = { items: [], unreadable: [] }
  for (const [index, message] of messages.entries()) {
    const { providerTransactionId, pendingProviderTransactionId, raw } = message
    requireIds({ providerTransactionId, pendingProviderTransactionId }, ['transactions', index])
    requireRaw(raw, ['transactions', index])
    const date = midnight(message.date)
    if (date === null || !isExact(message.amount)) {
      read.unreadable.push({ providerTransactionId, reason: date === null ? 'date' : 'amount' })
      continue
    }
    const authorizedDate = midnight(message.authorizedDate ?? '')
    read.items.push({ ...textsOf(message), providerAccountId, date, authorizedDate })
  }
  return read
}

/** Refuses a list that is longer than a batch may be. */
export function requireBatch(sizes: Record<string, number>): void {
  const text = `at most ${batchSizeMax}`
  requireAll(sizes, (size) => size <= batchSizeMax, { path: [], text })
}

/** Refuses IDs of a provider that are missing or too long to be any; those not given pass. */
export function requireIds(
  ids: Record<string, string | undefined>,
  path: readonly (string | number)[] = [],
): void {
  const isId = (id: string) => id !== '' && id.length <= idLengthMax && id === oneLine(id)
  const text = `must have 1 to ${idLengthMax} characters on one line`
  requireAll(ids, isId, { path, text })
}

/** Refuses a record that is larger than any provider's is. */
export function requireRaw(raw: string | undefined, path: readonly (string | number)[]): void {
  const isSmall = (text: string) => Buffer.byteLength(text) <= rawBytesMax
  requireAll({ raw }, isSmall, { path, text: `at most ${rawBytesMax} bytes` })
}

/** Refuses amounts outside ±2^53−1. */
export function requireAmounts(
  amounts: Record<string, bigint | undefined>,
  path: readonly (string | number)[],
): void {
  requireAll(amounts, isExact, { path, text: 'must be within ±9007199254740991' })
}

/** A record as the database can keep it. */
export function rawOf(raw: string | undefined): string | null {
  return raw?.toWellFormed().replaceAll('\0', '') ?? null
}

/** A name on one line, at most 300 characters long. */
export function nameOf(text: string): string {
  return cut(oneLine(text), nameLengthMax)
}

function textsOf(message: ProviderTransaction): Omit<ProviderItem, 'date' | 'authorizedDate'> {
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

function dayReader(timezone: string): (text: string) => Date | null {
  const midnight = midnightsIn(timezone)
  return (text) => {
    const [, year, month, day] = DAY.exec(text) ?? []
    return midnight({ year: Number(year), month: Number(month), day: Number(day) })
  }
}

/** Refuses the values that are given and are not as they must be, naming each of them. */
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

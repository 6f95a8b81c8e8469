import { toPrintable } from '@coffer/kit/values/printable'
import { isDay } from '@coffer/sync-kit/provider/row-values'
import { z } from 'zod'
import type { UpstreamAccount, UpstreamTransaction } from './aggregator.ts'

// Schemas of accounts and transactions in Plaid's answers; numbers are texts (`readJson`).

const textLengthMax = 300
const rawBytesMax = 65_536
const categoriesMax = 20

/** An ID, a token or a cursor of Plaid: visible ASCII. */
export const Id = z.string().regex(/^[!-~]{1,200}$/)

/** Returns whether Postgres and Protobuf can store an instant: from 1970 to the year 9999. */
export function isStorable(instant: Date): boolean {
  return instant.getTime() >= 0 && instant.getUTCFullYear() <= 9_999
}

/** A text on one line, at most 300 characters; null if it is missing or blank. */
export const Text = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => printable(text ?? '') || null)

const Currency = Text.transform((code) => code?.toUpperCase() ?? null)
const decimal = /^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,2})?$/
// Not 0, which stands for a missing balance: an unreadable balance must not change the stored one.
const unreadable = ''
const Balance = z
  .string()
  .regex(decimal)
  .nullish()
  .transform((text) => text ?? null)
  .catch(unreadable)

const Account = z.object({
  account_id: Id,
  persistent_account_id: Id.nullable().catch(null),
  name: Text,
  official_name: Text,
  mask: Text,
  type: Text,
  subtype: Text,
  balances: z
    .object({
      available: Balance,
      current: Balance,
      limit: Balance,
      iso_currency_code: Currency,
      unofficial_currency_code: Currency,
    })
    .catch({
      available: unreadable,
      current: unreadable,
      limit: unreadable,
      iso_currency_code: null,
      unofficial_currency_code: null,
    }),
})

/** Returns the account of a row, null if it has no ID. */
export function readAccount(row: unknown): UpstreamAccount | null {
  const { data } = Account.safeParse(row)
  if (!data) return null
  const { balances } = data
  return {
    accountId: data.account_id,
    persistentId: data.persistent_account_id,
    name: data.name ?? data.official_name ?? data.account_id,
    officialName: data.official_name ?? '',
    mask: data.mask,
    type: data.type ?? '',
    subtype: data.subtype,
    currency: balances.iso_currency_code,
    unofficialCurrency: balances.unofficial_currency_code,
    available: balances.available,
    current: balances.current,
    limit: balances.limit,
    raw: rawOf(data),
  }
}

const Day = z.string().refine(isDay)

const Transaction = z.object({
  transaction_id: Id,
  pending_transaction_id: Id.nullable().catch(null),
  account_id: Id,
  amount: z.string().regex(decimal),
  iso_currency_code: Currency,
  unofficial_currency_code: Currency,
  date: Day,
  authorized_date: Day.nullable().catch(null),
  name: Text,
  merchant_name: Text,
  original_description: Text,
  pending: z.boolean().catch(false),
  category: z
    .array(Text)
    .catch([])
    .transform((all) => all.filter((one) => one !== null).slice(0, categoriesMax)),
  personal_finance_category: z.object({ detailed: Text }).catch({ detailed: null }),
})

/** Returns the transaction of a row; null if IDs, decimal amount or calendar day are missing. */
export function readTransaction(row: unknown): UpstreamTransaction | null {
  const { data } = Transaction.safeParse(row)
  if (!data) return null
  return {
    id: data.transaction_id,
    pendingId: data.pending_transaction_id,
    accountId: data.account_id,
    amount: data.amount,
    currency: data.iso_currency_code,
    unofficialCurrency: data.unofficial_currency_code,
    date: data.date,
    authorizedDate: data.authorized_date,
    name: data.name ?? '',
    merchantName: data.merchant_name,
    originalDescription: data.original_description,
    isPending: data.pending,
    categories: data.category,
    category: data.personal_finance_category.detailed,
    raw: rawOf(data),
  }
}

const Replacing = z.object({ pending_transaction_id: Id.nullish() })

/**
 * Returns the ID of the pending transaction that an unreadable row replaces: null if it replaces
 * none, empty if the ID is unreadable too.
 */
export function readPendingId(row: unknown): string | null {
  const { data } = Replacing.safeParse(row)
  return data ? (data.pending_transaction_id ?? null) : ''
}

/** Returns the rows that `read` accepts, and separately the rejected rows as received. */
export function readRows<Row>(
  sent: readonly unknown[],
  read: (row: unknown) => Row | null,
): { rows: Row[]; left: unknown[] } {
  const rows: Row[] = []
  const left: unknown[] = []
  for (const one of sent) {
    const row = read(one)
    if (row === null) left.push(one)
    else rows.push(row)
  }
  return { rows, left }
}

/** Returns at most 300 characters of a text, on one line. */
export function printable(text: string): string {
  const line = text.slice(0, 20 * textLengthMax).replaceAll(/\s+/g, ' ')
  return toPrintable(line, { lengthMax: textLengthMax, instead: ' ' })
}

/**
 * Returns the JSON of the schema's fields only, so that a new field or another order is no change.
 */
function rawOf(fields: object): string | null {
  const raw = JSON.stringify(fields)
  return Buffer.byteLength(raw) <= rawBytesMax ? raw : null
}

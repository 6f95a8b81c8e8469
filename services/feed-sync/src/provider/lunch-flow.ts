import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { isExact } from '@coffer/kit/values/money'
import { toPrintable } from '@coffer/kit/values/printable'
import { z } from 'zod'
import type { Discovery } from '../candidates/feed-bank-account.ts'

// Schemas of the provider's answers (docs/banks/feed.md#calls); `readJson` turns numbers
// into texts.

const text = z.string().nullish()

const Account = z.object({
  id: z.string().regex(/^(?!\.{1,2}$)[\w.:-]{1,200}$/),
  name: text,
  institution_name: text,
  provider: text,
  currency: text,
  status: z.enum(['ACTIVE', 'DISCONNECTED', 'ERROR']).catch('ERROR'),
})

/** A bank account in the provider's list. */
export type OfferedAccount = z.infer<typeof Account>

const Balance = z.object({ balance: z.object({ amount: z.string(), currency: text }) })

/** A balance in the provider's answer: a decimal and an optional currency. */
export type StatedBalance = z.infer<typeof Balance>['balance']

const anyText = z.string().catch('')

const Transaction = z.object({
  /** Null if there is none that the ledger can store: 1 to 200 characters on one line. */
  id: z.string().refine(isId).nullable().catch(null),
  /** Decimal as in the answer; positive amounts enter the account. */
  amount: anyText,
  /** Null if it is that of the bank account. */
  currency: z.string().nullable().catch(null),
  date: anyText,
  merchant: anyText,
  description: anyText,
  isPending: z.boolean().catch(false),
})

/** A transaction in the provider's list; its texts are as in the answer, '' where missing. */
export type OfferedTransaction = z.infer<typeof Transaction>

/** Readable rows of a list; `isComplete` if none is missing from what the provider has. */
export interface OfferedList<Row> {
  rows: Row[]
  isComplete: boolean
}

const total = z.string().nullish().catch('unreadable')
const Accounts = z.object({ accounts: z.array(z.unknown()), total })
const Transactions = z.object({ transactions: z.array(z.unknown()), total })

/** Returns the accounts of an answer that have an ID; null if the answer is no list of accounts. */
export function readAccounts(answer: unknown): OfferedList<OfferedAccount> | null {
  const { data } = Accounts.safeParse(answer)
  return data ? listOf(data.accounts, data.total, (row) => Account.safeParse(row).data) : null
}

/** Returns the balance of an answer; null if the answer has none. */
export function readBalance(answer: unknown): StatedBalance | null {
  return Balance.safeParse(answer).data?.balance ?? null
}

/**
 * Returns the transactions of an answer; null if it is no list of transactions. Posted ones without
 * an ID are left out, and make the list incomplete: they may be known under an ID.
 */
export function readTransactions(answer: unknown): OfferedList<OfferedTransaction> | null {
  const { data } = Transactions.safeParse(answer)
  if (!data) return null
  return listOf(data.transactions, data.total, (row) => {
    const one = Transaction.safeParse(row).data
    return one?.id === null && !one.isPending ? undefined : one
  })
}

/** Parses JSON with numbers as their source text, which avoids rounding; null if it is invalid. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body, keepSource)
  } catch {
    return null
  }
}

/** Returns the fields of a candidate from the provider's answers (docs/banks/feed.md#refresh). */
export function readDiscovery(account: OfferedAccount, balance: StatedBalance | null): Discovery {
  const currency = [balance?.currency, account.currency].map(currencyIn).find(Boolean) ?? 'USD'
  return {
    feedId: account.id,
    feedStatus: account.status,
    name: printable(account.name) || account.id,
    institutionName: printable(account.institution_name),
    provider: printable(account.provider),
    currency,
    currentBalance: (balance && parseMinorUnits(balance.amount, currency)) ?? 0n,
  }
}

/**
 * Converts a decimal, with an optional exponent, to minor units of the currency. Extra decimals are
 * rounded half away from 0. Returns null for other texts, and for results beyond ±2^53−1.
 */
export function parseMinorUnits(decimal: string, currency: string): bigint | null {
  return round(decimal, currency)?.amount ?? null
}

/**
 * Converts a decimal to minor units like `parseMinorUnits`, but returns null for an amount with
 * more decimal places than the currency. Floating-point noise, less than 1/1000 of a minor unit, is
 * rounded: 30.299999999999997 is 30.30.
 */
export function parseExact(decimal: string, currency: string): bigint | null {
  const rounded = round(decimal, currency)
  return rounded?.isNoise ? rounded.amount : null
}

/** Returns the nearest amount, and whether the difference is below 1/1000 of a minor unit. */
function round(decimal: string, currency: string): { amount: bigint; isNoise: boolean } | null {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(decimal) ?? []
  if (whole === '') return null
  const shift = decimalPlaces(currency) + Number(exponent) - part.length
  const digits = BigInt(whole + part) * 10n ** BigInt(Math.max(0, shift))
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const size = (digits + divisor / 2n) / divisor
  const excess = digits - size * divisor
  const isNoise = (excess < 0n ? -excess : excess) * 1_000n < divisor
  return isExact(size) ? { amount: sign === '-' ? -size : size, isNoise } : null
}

function listOf<Row>(
  sent: readonly unknown[],
  stated: string | null | undefined,
  read: (row: unknown) => Row | undefined,
): OfferedList<Row> {
  const rows = sent.flatMap((row) => read(row) ?? [])
  const isWhole = (stated ?? null) === null || Number(stated) === sent.length
  return { rows, isComplete: isWhole && rows.length === sent.length }
}

/** Returns whether the ledger takes a provider's ID: it keeps them as they are. */
function isId(id: string): boolean {
  const line = id
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim()
    .toWellFormed()
  return id === line && id !== '' && id.length <= 200
}

function keepSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}

function currencyIn(code: string | null | undefined): string | undefined {
  const known = (code ?? '').trim().toUpperCase()
  return currencies().includes(known) ? known : undefined
}

function printable(sent: string | null | undefined): string {
  return toPrintable(sent ?? '', { lengthMax: 300, instead: ' ' })
}

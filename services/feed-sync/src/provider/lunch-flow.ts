import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { isExact } from '@coffer/kit/values/money'
import { toPrintable } from '@coffer/kit/values/printable'
import { z } from 'zod'
import type { Discovery } from '../candidates/feed-bank-account.ts'

// Schemas of the provider's answers (docs/syncs.md#refresh); `readJson` turns numbers into texts.

const text = z.string().nullish()

const Account = z.object({
  id: z.string().regex(/^[\w.:-]{1,200}$/),
  name: text,
  institution_name: text,
  provider: text,
  currency: text,
  status: z.enum(['ACTIVE', 'DISCONNECTED', 'ERROR']).catch('ERROR'),
})

/** A bank account in the provider's list. */
export type OfferedAccount = z.infer<typeof Account>

const Accounts = z.object({ accounts: z.array(z.unknown()) })

const Balance = z.object({ balance: z.object({ amount: z.string(), currency: text }) })

/** A balance in the provider's answer: a decimal and an optional currency. */
export type StatedBalance = z.infer<typeof Balance>['balance']

/** Returns the accounts of an answer that have an ID; null if the answer is no list of accounts. */
export function readAccounts(answer: unknown): OfferedAccount[] | null {
  const { data } = Accounts.safeParse(answer)
  return data ? data.accounts.flatMap((one) => Account.safeParse(one).data ?? []) : null
}

/** Returns the balance of an answer; null if the answer has none. */
export function readBalance(answer: unknown): StatedBalance | null {
  return Balance.safeParse(answer).data?.balance ?? null
}

/** Parses JSON with numbers as their source text, which avoids rounding; null if it is invalid. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body, keepSource)
  } catch {
    return null
  }
}

/** Returns the fields of a candidate from the provider's answers (docs/syncs.md#refresh). */
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
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(decimal) ?? []
  if (whole === '') return null
  const shift = decimalPlaces(currency) + Number(exponent) - part.length
  const digits = BigInt(whole + part)
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : (digits + divisor / 2n) / divisor
  return isExact(size) ? (sign === '-' ? -size : size) : null
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

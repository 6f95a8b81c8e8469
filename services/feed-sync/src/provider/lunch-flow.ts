import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { isExact } from '@coffer/kit/values/money'
import { z } from 'zod'
import type { Discovery } from '../candidates/feed-bank-account.ts'

// What the provider sends (spec/syncs.md 6.1). Numbers arrive as the text they were sent as.

const text = z.string().nullish()

const Account = z.object({
  id: z.string().regex(/^[\w.:-]{1,200}$/),
  name: text,
  institution_name: text,
  provider: text,
  currency: text,
  status: z.enum(['ACTIVE', 'DISCONNECTED', 'ERROR']).catch('ERROR'),
})

/** An account as the provider lists it. */
export type OfferedAccount = z.infer<typeof Account>

const Accounts = z.object({ accounts: z.array(z.unknown()) })

const Balance = z.object({ balance: z.object({ amount: z.string(), currency: text }) })

/** A balance as the provider states it: a decimal, and maybe its currency. */
export type StatedBalance = z.infer<typeof Balance>['balance']

/** The accounts of an answer, without those that have no ID; null where it is no such answer. */
export function readAccounts(answer: unknown): OfferedAccount[] | null {
  const { data } = Accounts.safeParse(answer)
  return data ? data.accounts.flatMap((one) => Account.safeParse(one).data ?? []) : null
}

/** The balance of an answer; null where it has none. */
export function readBalance(answer: unknown): StatedBalance | null {
  return Balance.safeParse(answer).data?.balance ?? null
}

/** An answer of the provider; numbers become the text that was sent, so that none is rounded. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body, asWritten)
  } catch {
    return null
  }
}

/**
 * A candidate's own part. Its currency is that of its balance, else the account's, else USD; a
 * balance that is unknown or cannot be read is 0 (spec/syncs.md 5.3).
 */
export function discover(account: OfferedAccount, balance: StatedBalance | null): Discovery {
  const currency = [balance?.currency, account.currency].map(currencyIn).find(Boolean) ?? 'USD'
  return {
    feedId: account.id,
    feedStatus: account.status,
    name: line(account.name) || account.id,
    institutionName: line(account.institution_name),
    provider: line(account.provider),
    currency,
    currentBalance: (balance && minorUnits(balance.amount, currency)) ?? 0n,
  }
}

/**
 * A decimal, maybe with an exponent, in minor units of the currency; more decimals than it has are
 * rounded, half away from 0. Null where it is none, or beyond ±2^53−1.
 */
export function minorUnits(decimal: string, currency: string): bigint | null {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(decimal) ?? []
  if (whole === '') return null
  const shift = decimalPlaces(currency) + Number(exponent) - part.length
  const digits = BigInt(whole + part)
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : (digits + divisor / 2n) / divisor
  return isExact(size) ? (sign === '-' ? -size : size) : null
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}

function currencyIn(code: string | null | undefined): string | undefined {
  const known = (code ?? '').trim().toUpperCase()
  return currencies().includes(known) ? known : undefined
}

/** At most 300 printable characters. */
function line(sent: string | null | undefined): string {
  return [...(sent ?? '').replace(/\p{C}+/gu, ' ').trim()].slice(0, 300).join('')
}

import { parseMinorUnits } from '@coffer/kit/values/decimal'
import { isExact } from '@coffer/kit/values/money'

/**
 * Converts a provider's balance to minor units. Returns null for other texts, and beyond half the
 * range of amounts: the ledger books the difference of two balances, which is an amount too.
 */
export function parseBalance(decimal: string, currency: string): bigint | null {
  const balance = parseMinorUnits(decimal, currency)
  return balance !== null && isExact(2n * balance) ? balance : null
}

import { invalid } from '@coffer/kit/rpc/errors'
import { amountMax, isExact } from '@coffer/kit/values/money'
import { z } from 'zod'

/** Minor units of the bank account's currency, within ±2^53−1 (`spec/decisions.md` General). */
export const Money = z.bigint().min(-amountMax).max(amountMax)

/**
 * Passes an amount through, or refuses the write whose result it is, by the field of the request
 * that made it so.
 */
export function inRange(amount: bigint, field = 'amount'): bigint {
  if (!isExact(amount)) {
    const text = 'The amounts would leave the range of ±9007199254740991'
    throw invalid({ [field]: text }, text)
  }
  return amount
}

/** The amount, or 0 when it is negative. */
export function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}

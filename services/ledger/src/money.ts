import { refused } from '@coffer/kit/errors'
import { isExact } from '@coffer/kit/money'
import { z } from 'zod'

/** The largest amount that survives as a JSON integer: 2^53−1 minor units. */
export const MONEY_MAX = 2n ** 53n - 1n

/** Minor units of the bank account's currency, within ±2^53−1 (`spec/decisions.md` General). */
export const Money = z.bigint().min(-MONEY_MAX).max(MONEY_MAX)

/** Passes an amount through, or refuses the write whose result it is. */
export function inRange(amount: bigint): bigint {
  if (!isExact(amount)) {
    throw refused('The amounts would leave the range of ±9007199254740991')
  }
  return amount
}

/** The smaller of two amounts. */
export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The amount, or 0 when it is negative. */
export function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}

import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { amountMax, isExact } from '@coffer/kit/values/money'
import { z } from 'zod'

/** An amount in minor units of the bank account's currency, within ±2^53−1 (docs/money.md). */
export const Money = z.bigint().min(-amountMax).max(amountMax)

/** Returns the amount; throws `invalid` (400) on request field `field` if it exceeds ±2^53−1. */
export function inRange(amount: bigint, field = 'amount'): bigint {
  if (!isExact(amount)) {
    const text = say('AMOUNT_RANGE')
    throw invalid({ [field]: text }, text)
  }
  return amount
}

/** Returns the amount without its sign. */
export function magnitudeOf(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** Returns the amount, or 0 if it is negative. */
export function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}

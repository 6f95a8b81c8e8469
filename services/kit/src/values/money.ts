/** Largest amount in minor units that a JSON number holds exactly: 2^53−1. */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Returns whether a JSON number holds an amount in minor units exactly: within ±2^53−1
 * (docs/money.md#amounts-and-their-bounds).
 */
export function isExact(amount: bigint): boolean {
  return amount <= amountMax && amount >= -amountMax
}

export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/**
 * Returns the part of a period's target that is not spent (minor units, at least 0). On the due
 * date the envelope gives at most this amount: to the bill, or to free-to-use money
 * (docs/hourly-job.md).
 */
export function unspentOf(targetAmount: bigint, spentAmount: bigint): bigint {
  return targetAmount > spentAmount ? targetAmount - spentAmount : 0n
}

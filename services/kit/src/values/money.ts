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

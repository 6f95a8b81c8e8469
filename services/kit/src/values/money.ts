/** The largest amount that survives as a JSON integer: 2^53−1 minor units. */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Whether an amount, in minor units, survives the way to a JSON integer and back: ±2^53−1
 * (spec/decisions.md, Integers).
 */
export function isExact(amount: bigint): boolean {
  return amount <= amountMax && amount >= -amountMax
}

/** The smaller of two amounts. */
export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

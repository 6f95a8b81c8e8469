/** Amounts are whole minor units; REST carries them as JSON integers, so they stay exact there. */
export const amountMax = BigInt(Number.MAX_SAFE_INTEGER)

/** Whether the amount survives the way to a JSON integer and back. */
export function isExact(amount: bigint): boolean {
  return amount <= amountMax && amount >= -amountMax
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

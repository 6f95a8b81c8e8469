import { decimalPlaces } from './currency.ts'
import { isExact } from './money.ts'

/**
 * Converts a decimal, with an optional exponent, to minor units of the currency. Extra decimals are
 * rounded half away from 0. Returns null for other texts, and for results beyond ±2^53−1.
 */
export function parseMinorUnits(decimal: string, currency: string): bigint | null {
  return round(decimal, currency)?.amount ?? null
}

/**
 * Converts a decimal to minor units like `parseMinorUnits`, but returns null for an amount with
 * more decimal places than the currency. Floating-point noise, less than 1/1000 of a minor unit, is
 * rounded: 30.299999999999997 is 30.30.
 */
export function parseExact(decimal: string, currency: string): bigint | null {
  const rounded = round(decimal, currency)
  return rounded?.isNoise ? rounded.amount : null
}

/** Returns minor units as a decimal with all places of the currency: -5 is `-0.05` in USD. */
export function decimalText(amount: bigint, currency: string): string {
  const places = decimalPlaces(currency)
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const size = places === 0 ? whole : `${whole}.${digits.slice(-places)}`
  return amount < 0n ? `-${size}` : size
}

/** Returns the nearest amount, and whether the difference is below 1/1000 of a minor unit. */
function round(decimal: string, currency: string): { amount: bigint; isNoise: boolean } | null {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(decimal) ?? []
  if (whole === '') return null
  const shift = decimalPlaces(currency) + Number(exponent) - part.length
  const digits = BigInt(whole + part) * 10n ** BigInt(Math.max(0, shift))
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const size = (digits + divisor / 2n) / divisor
  const excess = digits - size * divisor
  const isNoise = (excess < 0n ? -excess : excess) * 1_000n < divisor
  return isExact(size) ? { amount: sign === '-' ? -size : size, isNoise } : null
}

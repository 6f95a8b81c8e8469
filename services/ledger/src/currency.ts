const KNOWN: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Every ISO 4217 code the service can format, sorted; the same on every host of one release. */
export function currencies(): string[] {
  return [...KNOWN].sort()
}

/** Is this an ISO 4217 code, in upper case, that the service can format? */
export function isCurrency(code: string): boolean {
  return KNOWN.has(code)
}

/** Decimal places of a known currency's smallest unit: 2 for USD, 0 for JPY, 3 for BHD. */
export function decimalPlaces(code: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

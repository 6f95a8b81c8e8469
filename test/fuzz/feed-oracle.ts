// Reads answers of a feed provider without the product's code, to check what a sync has stored.

/** A transaction or balance that an answer contains. */
export interface Readable {
  /** Decimal number, as in the answer. */
  amount: string
  /** In upper case; '' means that of the bank account. */
  currency: string
  /** '' for a balance. */
  date: string
}

const amountMax = 2n ** 53n - 1n
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/
// Differences are compared as multiples of 10^-40 cents.
const scale = 40

/** Returns the JSON of an answer with numbers as their digits; null if it is invalid. */
export function exactJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''), (_key, node, context?: { source?: string }) => {
      return typeof node === 'number' ? context?.source : node
    })
  } catch {
    return null
  }
}

/** Returns whether a value is a decimal number, as text. */
export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && decimal.test(value)
}

/** Returns the transactions, or the balance, of a bank account that a client could take. */
export function readableIn(
  body: string,
  { kind, feedId }: { kind: 'transactions' | 'balance'; feedId: string },
): Readable[] {
  const found = Object(exactJson(body))[kind]
  const rows: unknown[] = kind === 'balance' ? [found] : Array.isArray(found) ? found : []
  return rows.flatMap((row) => {
    const { accountId, amount, currency, date } = Object(row)
    const isOfAnother = typeof accountId === 'string' && !['', feedId].includes(accountId)
    if (!isDecimal(amount) || (kind === 'transactions' && isOfAnother)) return []
    const code = typeof currency === 'string' ? currency.trim().toUpperCase() : ''
    const isDay =
      kind === 'transactions' && typeof date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(date)
    return { amount, currency: code, date: isDay ? date : '' }
  })
}

/**
 * Returns whether cents are the amount of a row, up to 1/1000 of a cent; with `isRounded`, up to
 * half a cent.
 */
export function isAmountOf(cents: bigint, { amount }: Readable, isRounded = false): boolean {
  const [, sign = '', whole = '', part = '', exponent = '0'] = decimal.exec(amount) ?? []
  const shift = scale + 2 + Number(exponent) - part.length
  if (whole === '' || shift < 0 || shift > 400) return cents === 0n
  const stated = BigInt(`${sign}${whole}${part}`) * 10n ** BigInt(shift)
  const difference = stated - cents * 10n ** BigInt(scale)
  const size = difference < 0n ? -difference : difference
  const bound = 10n ** BigInt(scale)
  return isRounded ? 2n * size <= bound : 1_000n * size < bound
}

/** Returns why a stored text must not be there; null if it may. */
export function faultOfText(stored: string | null): string | null {
  if (stored === null) return null
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(stored))
    return 'control characters'
  if (!stored.isWellFormed()) return 'half a character'
  return [...stored].length > 300 ? 'too long' : null
}

/** Returns whether an amount is exact as a JSON number. */
export function isExact(amount: bigint): boolean {
  return amount >= -amountMax && amount <= amountMax
}

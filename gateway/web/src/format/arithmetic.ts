/** An exact fraction, `count` divided by `of`; `of` is positive. */
interface Fraction {
  count: bigint
  of: bigint
}

interface Reader {
  text: string
  at: number
  readNumber: (number: string) => Fraction | null
}

/**
 * Evaluates sums, products and brackets of numbers, such as `12.50*2+(3-1)/4`; null if invalid.
 * `readNumber` parses a number without a sign.
 */
export function calculate(
  text: string,
  readNumber: (number: string) => Fraction | null,
): Fraction | null {
  const reader = { text, at: 0, readNumber }
  const value = readSum(reader)
  return reader.at === text.length ? value : null
}

function readSum(reader: Reader): Fraction | null {
  let sum = readProduct(reader)
  for (let sign = take(reader, '+-'); sign !== ''; sign = take(reader, '+-')) {
    const next = readProduct(reader)
    if (sum === null || next === null) return null
    const count = sign === '-' ? -next.count : next.count
    sum = { count: sum.count * next.of + count * sum.of, of: sum.of * next.of }
  }
  return sum
}

function readProduct(reader: Reader): Fraction | null {
  let product = readSigned(reader)
  for (let sign = take(reader, '*/'); sign !== ''; sign = take(reader, '*/')) {
    const next = readSigned(reader)
    if (product === null || next === null) return null
    product = sign === '*' ? times(product, next) : times(product, inverted(next))
    if (product.of === 0n) return null
  }
  return product
}

function readSigned(reader: Reader): Fraction | null {
  const sign = take(reader, '+-')
  const value = readValue(reader)
  return value && sign === '-' ? { ...value, count: -value.count } : value
}

function readValue(reader: Reader): Fraction | null {
  if (take(reader, '(') !== '') {
    const value = readSum(reader)
    return take(reader, ')') === '' ? null : value
  }
  const [number = ''] = /^[\d.,]+/.exec(reader.text.slice(reader.at)) ?? []
  reader.at += number.length
  return number === '' ? null : reader.readNumber(number)
}

function take(reader: Reader, signs: string): string {
  const sign = reader.text.charAt(reader.at)
  if (sign === '' || !signs.includes(sign)) return ''
  reader.at++
  return sign
}

function times(a: Fraction, b: Fraction): Fraction {
  return { count: a.count * b.count, of: a.of * b.of }
}

/**
 * Returns the reciprocal of a fraction. That of zero has the denominator `of` 0, which the caller
 * takes for a division by zero.
 */
function inverted({ count, of }: Fraction): Fraction {
  return count < 0n ? { count: -of, of: -count } : { count: of, of: count }
}

/** Rounds to the nearest integer, halves away from zero. */
export function rounded({ count, of }: Fraction): bigint {
  const size = count < 0n ? -count : count
  const whole = (2n * size + of) / (2n * of)
  return count < 0n ? -whole : whole
}

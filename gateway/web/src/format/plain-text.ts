/** Folds a text for searches: case, accents, and ß or ss do not matter. */
export function plainText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}

/** Replaces digits of other scripts by 0 to 9, and the Arabic decimal and group separators. */
export function plainDigits(text: string): string {
  return text
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) ?? 0
      const isDigit = (at: number) => /\p{Nd}/u.test(String.fromCodePoint(at))
      let value = 0
      while (value < 9 && isDigit(code - value - 1)) value++
      return String(value)
    })
}

// Combining marks that `folded_text` removes: Latin, Greek, Cyrillic, Hebrew, Arabic.
const marks = new RegExp(
  `[\\u0300-\\u036F\\u0483-\\u0487\\u0591-\\u05BD\\u064B-\\u065F\\u0670\\u1AB0-\\u1AFF` +
    '\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F]+',
  'g',
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const beyondAscii = /[^\x00-\x7F]/

/** Letters that Unicode does not decompose, with their replacements. */
const plainOf: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
}
const undecomposed = new RegExp(`[${Object.keys(plainOf).join('')}]`, 'g')

/**
 * Returns a text folded for search and unique names (docs/transactions.md#search), like the SQL
 * function `folded_text`: lower case, without accents, compatibility decomposition (NFKD).
 */
export function foldText(text: string): string {
  // Fast path for imports, which fold each row: ASCII needs neither decomposition nor removal of
  // marks.
  if (!beyondAscii.test(text)) return text.toLowerCase()
  const lower = text.normalize('NFKD').replace(marks, '').toLowerCase()
  return lower.replace(undecomposed, (letter) => plainOf[letter] ?? letter)
}

// The combining marks that `folded_text` leaves out: of Latin, Greek, Cyrillic, Hebrew, Arabic.
const marks = new RegExp(
  `[\\u0300-\\u036F\\u0483-\\u0487\\u0591-\\u05BD\\u064B-\\u065F\\u0670\\u1AB0-\\u1AFF` +
    '\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F]+',
  'g',
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const beyondAscii = /[^\x00-\x7F]/

/** Letters that Unicode does not decompose, with their plain ones. */
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
 * Returns a text as search and unique names compare it (docs/transactions.md#search), as the SQL
 * function `folded_text` does: lower case, without accents, in compatibility forms (NFKD).
 */
export function foldText(text: string): string {
  // Imports fold each row: most texts are ASCII, which has neither accents nor other forms.
  if (!beyondAscii.test(text)) return text.toLowerCase()
  const lower = text.normalize('NFKD').replace(marks, '').toLowerCase()
  return lower.replace(undecomposed, (letter) => plainOf[letter] ?? letter)
}

/** A word of a text, as written and normalised (lower case, no apostrophes or dots). */
export interface FoundWord {
  raw: string
  clean: string
}

const wordPattern = /\b[A-Za-z0-9][A-Za-z.']+(?:[0-9][A-Za-z]*){0,2}\b/g

/** Finds the words of a transaction's text, in order (docs/similar-transactions.md#words). */
export function findWords(text: string): FoundWord[] {
  return Array.from(text.matchAll(wordPattern), ([raw]) => ({
    raw,
    clean: raw.replaceAll(/['.]/g, '').toLowerCase(),
  }))
}

/** Returns whether a lower-case word has a vowel; numbers and most codes have none. */
export function hasVowel(clean: string): boolean {
  return /[aeiouy]/.test(clean)
}

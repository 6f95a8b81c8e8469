/** A word found in a text: as it stands there, and lower-case without apostrophes and dots. */
export interface FoundWord {
  raw: string
  clean: string
}

const wordPattern = /\b[A-Za-z0-9][A-Za-z.']+(?:[0-9][A-Za-z]*){0,2}\b/g

/** The words of a bank's or a merchant's text, left to right (spec/ledger.md 5.3 steps 1 and 2). */
export function findWords(text: string): FoundWord[] {
  return Array.from(text.matchAll(wordPattern), ([raw]) => ({
    raw,
    clean: raw.replaceAll(/['.]/g, '').toLowerCase(),
  }))
}

/** Whether a lower-case word can be spoken; numbers and codes cannot (ledger.md 5.3 step 3). */
export function hasVowel(clean: string): boolean {
  return /[aeiouy]/.test(clean)
}

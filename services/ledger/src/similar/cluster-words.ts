import { findWords, hasVowel } from '@coffer/kit/values/words'

/** A word that counts: lower-case, how it is spelled in the text, and its place there from 0. */
export type Word = { word: string; spelling: string; place: number }

const states = `al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv
  nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy`
const excluded = new Set([
  ...['null', 'inc', 'merchant', 'name', 'us', 'check'],
  ...states.split(/\s+/),
])

const abbreviations = new Map([
  ...['amz', 'amzn', 'amzncom', 'amazonc', 'amazoncom', 'wwwamazonco'].map(
    (short): [string, string[]] => [short, ['Amazon']],
  ),
  ['youtubepre', ['Youtube', 'Premium']],
  ['youtubeprem', ['Youtube', 'Premium']],
  ['coffe', ['Coffee']],
  ['lak', ['Lake']],
])

const lettersMin = 3

/**
 * The words by which texts are compared. A word that is left out still uses up its place, and one
 * that stands for two gives both the same (spec/ledger.md 5.3).
 */
export function wordsOf(text: string): Word[] {
  return findWords(text).flatMap(({ raw, clean }, place) => {
    if (excluded.has(clean) || !hasVowel(clean)) return []
    const [only, ...more] = abbreviations.get(clean) ?? []
    if (only === undefined) {
      return clean.length < lettersMin ? [] : [{ word: clean, spelling: raw, place }]
    }
    if (more.length === 0) return [{ word: only.toLowerCase(), spelling: raw, place }]
    return [only, ...more].map((one) => ({ word: one.toLowerCase(), spelling: one, place }))
  })
}

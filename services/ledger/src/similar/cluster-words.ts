import { findWords, hasVowel } from '@coffer/kit/values/words'

/** A compared word in lower case, its spelling in the text, and its position in the text from 0. */
export type Word = { word: string; spelling: string; place: number }

const states = `al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv
  nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy`
const excluded = new Set(['null', 'inc', 'merchant', 'name', 'us', 'check', ...states.split(/\s+/)])

const abbreviations = new Map([
  ['amz', ['Amazon']],
  ['amzn', ['Amazon']],
  ['amzncom', ['Amazon']],
  ['amazonc', ['Amazon']],
  ['amazoncom', ['Amazon']],
  ['wwwamazonco', ['Amazon']],
  ['youtubepre', ['Youtube', 'Premium']],
  ['youtubeprem', ['Youtube', 'Premium']],
  ['coffe', ['Coffee']],
  ['lak', ['Lake']],
])

const lettersMin = 3

/** Extracts the compared words of a text (docs/similar-transactions.md#words). */
export function findTextWords(text: string): Word[] {
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

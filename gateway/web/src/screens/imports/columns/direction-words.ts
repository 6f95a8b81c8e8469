/** Pairs of words that state the direction of an amount: money out, then money in. */
const pairs = [
  'debit credit',
  'debit kredit',
  'debet credit',
  'debet kredit',
  'debet bij',
  'dbit crdt',
  'dr cr',
  'd c',
  'd k',
  's h',
  'soll haben',
  'af bij',
  'out in',
  'outflow inflow',
  'expense income',
  'withdrawal deposit',
  'ausgabe einnahme',
  'lastschrift gutschrift',
  '借 贷',
  '支出 收入',
].map((pair) => pair.split(' ') as [string, string])

export interface Words {
  debitWord: string
  creditWord: string
}

/**
 * Returns the pair of direction words in a column that has no other texts. If it has only one of
 * them, the other gets the same letter case.
 */
export function findWords(texts: readonly string[]): Words | null {
  const [first = '', second, ...more] = [...new Set(texts)]
  if (first === '' || more.length > 0) return null
  for (const [out, into] of pairs) {
    if (second === undefined) {
      if (isWord(first, out)) return { debitWord: first, creditWord: likeIt(first, into) }
      if (isWord(first, into)) return { debitWord: likeIt(first, out), creditWord: first }
    } else {
      const [debitWord, creditWord] = isWord(first, out) ? [first, second] : [second, first]
      if (isWord(debitWord, out) && isWord(creditWord, into)) return { debitWord, creditWord }
    }
  }
  return null
}

/** Returns whether a text has a word as one of its parts: it may be bilingual, such as `借 Dr`. */
function isWord(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .split(/[ /.]+/)
    .includes(word)
}

function likeIt(text: string, word: string): string {
  if (text === text.toLowerCase()) return word
  if (text === text.toUpperCase()) return word.toUpperCase()
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

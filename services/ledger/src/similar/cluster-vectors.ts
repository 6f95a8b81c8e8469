import type { Word } from './cluster-words.ts'

/** The words of a text, and the number of transactions that have this text. */
export type TextDocument = { words: readonly Word[]; copies: number }

/** A sparse vector of length 1: dimensions in ascending order, and their values, none of them 0. */
export type Vector = { dimensions: number[]; values: number[] }

/**
 * Returns the TF-IDF vector of each document (docs/similar-transactions.md#vectors), null if all
 * its values are 0. Documents with equal words share one vector. `names` are the words by
 * dimension.
 */
export function createVectors(documents: readonly TextDocument[]): {
  names: string[]
  vectors: (Vector | null)[]
} {
  const counts = countWords(documents)
  const total = documents.reduce((sum, { copies }) => sum + copies, 0)
  const names = [...counts].flatMap(([word, count]) => (count === 1 ? [] : word)).sort()
  const weights = names.map((word) => Math.fround(Math.log(total / ((counts.get(word) ?? 0) + 1))))
  const dimensions = new Map(names.map((word, dimension) => [word, dimension]))
  const known = new Map<string, Vector | null>()
  const vectors = documents.map(({ words }) => {
    const sorted = words.map(({ word }) => word).sort()
    const key = sorted.join(' ')
    let vector = known.get(key)
    if (vector === undefined) {
      vector = vectorOf(sorted, { dimensions, weights })
      known.set(key, vector)
    }
    return vector
  })
  return { names, vectors }
}

function countWords(documents: readonly TextDocument[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { words, copies } of documents) {
    for (const { word } of words) counts.set(word, (counts.get(word) ?? 0) + copies)
  }
  return counts
}

function vectorOf(
  sorted: readonly string[],
  terms: { dimensions: ReadonlyMap<string, number>; weights: readonly number[] },
): Vector | null {
  const times = new Map<string, number>()
  for (const word of sorted) times.set(word, (times.get(word) ?? 0) + 1)
  const vector: Vector = { dimensions: [], values: [] }
  for (const [word, count] of times) {
    const dimension = terms.dimensions.get(word)
    if (dimension === undefined) continue
    const frequency = Math.fround(count / times.size)
    const value = Math.fround(frequency * (terms.weights[dimension] ?? 0))
    if (value === 0) continue
    vector.dimensions.push(dimension)
    vector.values.push(value)
  }
  // Without values the length is 0, and scaling would divide by zero.
  if (vector.values.length === 0) return null
  const length = Math.sqrt(vector.values.reduce((sum, value) => sum + value ** 2, 0))
  return { ...vector, values: vector.values.map((value) => Math.fround(value / length)) }
}

/** Returns the squared Euclidean distance of two vectors, rounded to 32 bits. */
export function squaredDistance(a: Vector, b: Vector): number {
  let sum = 0
  let i = 0
  let j = 0
  while (i < a.values.length || j < b.values.length) {
    const [left = Infinity, right = Infinity] = [a.dimensions[i], b.dimensions[j]]
    const x = left <= right ? (a.values[i++] ?? 0) : 0
    const y = right <= left ? (b.values[j++] ?? 0) : 0
    sum += (x - y) ** 2
  }
  return Math.fround(sum)
}

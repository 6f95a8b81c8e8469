import { createHash } from 'node:crypto'
import type { ClusterTerm } from './cluster.ts'
import type { Vector } from './cluster-vectors.ts'
import type { Word } from './cluster-words.ts'

/** A transaction of a cluster, with the words of its text and their vector. */
export type Member = { transactionId: string; words: readonly Word[]; vector: Vector }

/** A cluster that a search found; `members` are transaction IDs in the order of the input. */
export type FoundCluster = {
  signature: string
  centroid: string
  name: string
  originalName: string
  members: string[]
  debug: ClusterTerm[]
  merchant: ClusterTerm[]
}

/** A word of a cluster; `value` is the sum of its values in the `count` members that have it. */
type Term = { dimension: number; value: number; count: number; oldest: Member }

/**
 * Returns the fields of a cluster, or null if it has no name. `members` are newest first,
 * `names[i]` is the word of dimension `i` (docs/similar-transactions.md#fields-of-a-cluster).
 */
export function describeCluster(
  members: readonly Member[],
  names: readonly string[],
): FoundCluster | null {
  const terms = termsOf(members)
  const centroid = centroidOf(members, terms)
  if (!centroid) return null
  const debug = rankTerms(
    [...terms.values()].map((term) => {
      const sanitized = names[term.dimension] ?? ''
      return {
        word: spellingIn(centroid, sanitized),
        sanitized,
        order: averagePlace(term.oldest, sanitized),
        value: Math.fround(term.value),
        count: term.count,
      }
    }),
  )
  const position = (term: ClusterTerm) =>
    centroid.words.findIndex(({ word }) => word === term.sanitized)
  const merchant = aboveThreshold(debug).toSorted(
    (a, b) => a.order - b.order || position(a) - position(b),
  )
  const name = merchant
    .map(({ word }) => word)
    .join(' ')
    .trim()
  if (name === '') return null
  return {
    signature: signatureOf(merchant),
    centroid: centroid.transactionId,
    name,
    originalName: name,
    members: members.map(({ transactionId }) => transactionId),
    debug,
    merchant,
  }
}

function termsOf(members: readonly Member[]): Map<number, Term> {
  const terms = new Map<number, Term>()
  for (const member of members) {
    const { dimensions, values } = member.vector
    for (const [at, dimension] of dimensions.entries()) {
      const term = terms.get(dimension) ?? { dimension, value: 0, count: 0, oldest: member }
      term.value += values[at] ?? 0
      term.count += 1
      term.oldest = member
      terms.set(dimension, term)
    }
  }
  return terms
}

/** Returns the member nearest to the mean vector, on a tie that with the smallest ID. */
function centroidOf(
  members: readonly Member[],
  terms: ReadonlyMap<number, Term>,
): Member | undefined {
  const mean = (dimension: number) => (terms.get(dimension)?.value ?? 0) / members.length
  let square = 0
  for (const dimension of terms.keys()) square += mean(dimension) ** 2
  const known = new Map<Vector, number>()
  const distance = ({ vector }: Member): number => {
    const before = known.get(vector)
    if (before !== undefined) return before
    let sum = square
    for (const [at, dimension] of vector.dimensions.entries()) {
      const centre = mean(dimension)
      sum += ((vector.values[at] ?? 0) - centre) ** 2 - centre ** 2
    }
    known.set(vector, Math.fround(sum))
    return Math.fround(sum)
  }
  let nearest: { member: Member; distance: number } | undefined
  for (const member of members) {
    const candidate = { member, distance: distance(member) }
    if (!nearest || isNearer(candidate, nearest)) nearest = candidate
  }
  return nearest?.member
}

type Candidate = { member: Member; distance: number }

function isNearer(one: Candidate, other: Candidate): boolean {
  if (one.distance !== other.distance) return one.distance < other.distance
  return one.member.transactionId < other.member.transactionId
}

function averagePlace({ words }: Member, sanitized: string): number {
  const places = words.flatMap(({ word, place }) => (word === sanitized ? place : []))
  return places.reduce((sum, place) => sum + place, 0) / places.length
}

/** Returns a member's spelling of a word: title case, else mixed or lower case, else upper case. */
function spellingIn({ words }: Member, sanitized: string): string {
  const spellings = words.flatMap(({ word, spelling }) => (word === sanitized ? spelling : []))
  return spellings.toSorted((a, b) => spellingRank(a) - spellingRank(b))[0] ?? ''
}

function spellingRank(spelling: string): number {
  const letters = spelling.replaceAll(/[^A-Za-z]/g, '')
  if (letters.length > 1 && letters === letters.toUpperCase()) return 2
  return /^[A-Z][a-z]*$/.test(letters) ? 0 : 1
}

/** Returns the terms, largest absolute value first; ranks are squared means, scaled to length 1. */
function rankTerms(terms: Omit<ClusterTerm, 'rank'>[]): ClusterTerm[] {
  const sorted = terms.toSorted(
    (a, b) => Math.abs(b.value) - Math.abs(a.value) || (a.sanitized < b.sanitized ? -1 : 1),
  )
  const weights = sorted.map(({ value, count }) => (value / count) ** 2)
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight ** 2, 0))
  return sorted.map((term, at) => ({ ...term, rank: Math.fround((weights[at] ?? 0) / length) }))
}

function aboveThreshold(debug: readonly ClusterTerm[]): readonly ClusterTerm[] {
  const [high, low] = [debug.at(0)?.rank ?? 0, debug.at(-1)?.rank ?? 0]
  if (high === low) return debug
  const threshold = low + 0.75 * (high - low)
  return debug.filter(({ rank }) => rank > threshold)
}

function signatureOf(merchant: readonly ClusterTerm[]): string {
  const words = merchant.map(({ sanitized }) => sanitized.toLowerCase()).sort()
  return createHash('sha256').update(words.join('-')).digest('hex')
}

import { squaredDistance, type Vector } from './cluster-vectors.ts'

const distanceMax = 0.5

// Vectors of length 1 within that distance have a dot product of at least 0.75. What is rounded
// to 32 bits may be off by some 1e-7, so a little less is asked for before the exact test.
const productMin = 0.7499

/** A vector's terms, rarest dimension first, with the length of what is left from each one on. */
type Ranked = { dimensions: number[]; lengths: number[] }

/** Vectors of one component that share a dimension, each with its length from there on. */
type Group = { vectors: number[]; lengths: number[] }

/**
 * The connected components of the graph in which vectors within a squared distance of 0.5 are
 * neighbours, single ones among them (spec/ledger.md 5.5): for each vector the number of its
 * component.
 *
 * Not every pair is looked at, yet none is missed. The product of two vectors over some of their
 * terms is at most the product of their lengths over these. Hence neighbours share a term before
 * either vector's rest is too short to reach `productMin`, and at the first term they share, rarest
 * first, the two rests together are long enough. And one neighbour in a component is enough.
 *
 * Time is linear in the number of vectors: each is compared with at most `comparisonsMax` others.
 * Where more than that share its rare terms, parts of a component may be left apart.
 */
export function componentsOf(vectors: readonly Vector[], comparisonsMax = 1_000): number[] {
  const parents = vectors.map((_, index) => index)
  const testedWith = new Int32Array(vectors.length).fill(-1)
  const areNeighbours = neighbourTest(vectors)
  const groupsOf = new Map<number, Map<number, Group>>()
  for (const [index, { dimensions, lengths }] of rank(vectors).entries()) {
    let comparisons = 0
    for (const [at, dimension] of dimensions.entries()) {
      const length = lengths[at] ?? 0
      if (length < productMin) break
      const groups = groupsOf.get(dimension) ?? new Map<number, Group>()
      groupsOf.set(dimension, groups)
      comparisons += groups.size
      if (comparisons > comparisonsMax) break
      regroup(groups, parents)
      for (const [root, group] of groups) {
        if (root === rootOf(parents, index)) continue
        const isTouched = group.vectors.some((other, i) => {
          comparisons += 1
          if (comparisons > comparisonsMax) return true
          if (testedWith[other] === index) return false
          testedWith[other] = index
          return (group.lengths[i] ?? 0) * length >= productMin && areNeighbours(index, other)
        })
        if (comparisons > comparisonsMax) break
        if (isTouched) parents[root] = rootOf(parents, index)
      }
      addTo(groups, rootOf(parents, index), { vectors: [index], lengths: [length] })
    }
  }
  return vectors.map((_, index) => rootOf(parents, index))
}

/** Whether two of the vectors are neighbours; many questions in a row about the first are cheap. */
function neighbourTest(vectors: readonly Vector[]): (index: number, other: number) => boolean {
  const ends = vectors.map(({ dimensions }) => (dimensions.at(-1) ?? 0) + 1)
  const spread = new Float64Array(ends.reduce((most, end) => Math.max(most, end), 0))
  let spreadOut: Vector | undefined
  const spreadVector = (vector: Vector): void => {
    for (const dimension of spreadOut?.dimensions ?? []) spread[dimension] = 0
    for (const [at, dimension] of vector.dimensions.entries()) {
      spread[dimension] = vector.values[at] ?? 0
    }
    spreadOut = vector
  }
  return (index, other) => {
    const [a, b] = [vectors[index], vectors[other]]
    if (!a || !b) return false
    if (a !== spreadOut) spreadVector(a)
    let product = 0
    for (let at = 0; at < b.values.length; at++) {
      product += (spread[b.dimensions[at] ?? 0] ?? 0) * (b.values[at] ?? 0)
    }
    return product >= productMin && squaredDistance(a, b) <= distanceMax
  }
}

/** Puts together the groups whose components have become one. */
function regroup(groups: Map<number, Group>, parents: number[]): void {
  for (const [before, group] of groups) {
    const root = rootOf(parents, before)
    if (root === before) continue
    groups.delete(before)
    addTo(groups, root, group)
  }
}

function addTo(groups: Map<number, Group>, root: number, more: Group): void {
  const group = groups.get(root)
  if (!group) {
    groups.set(root, more)
    return
  }
  const [large, small] = group.vectors.length < more.vectors.length ? [more, group] : [group, more]
  for (const vector of small.vectors) large.vectors.push(vector)
  for (const length of small.lengths) large.lengths.push(length)
  groups.set(root, large)
}

function rank(vectors: readonly Vector[]): Ranked[] {
  const frequencies = new Map<number, number>()
  for (const { dimensions } of vectors) {
    for (const one of dimensions) frequencies.set(one, (frequencies.get(one) ?? 0) + 1)
  }
  const frequency = (dimension: number) => frequencies.get(dimension) ?? 0
  return vectors.map(({ dimensions, values }) => {
    const order = dimensions
      .map((dimension, at) => ({ dimension, value: values[at] ?? 0 }))
      .sort((a, b) => frequency(a.dimension) - frequency(b.dimension) || a.dimension - b.dimension)
    let square = 0
    const lengths = order.map(() => 0)
    for (let at = order.length - 1; at >= 0; at--) {
      square += (order[at]?.value ?? 0) ** 2
      lengths[at] = Math.sqrt(square)
    }
    return { dimensions: order.map(({ dimension }) => dimension), lengths }
  })
}

/** The number of a vector's component, found through ever shorter ways. */
function rootOf(parents: number[], index: number): number {
  let root = index
  for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) {
    parents[root] = parents[parent] ?? parent
    root = parents[root] ?? root
  }
  return root
}

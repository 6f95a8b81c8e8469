import { squaredDistance, type Vector } from './cluster-vectors.ts'

const distanceMax = 0.5

// Vectors of length 1 within a squared distance of 0.5 have a dot product of at least 0.75.
// Rounding to 32 bits adds errors up to 1e-7, so this bound, tested before the distance, is less.
const productMin = 0.7499

/**
 * A vector's dimensions, rarest first. `lengths[i]` is the length of the vector's remaining part:
 * of its values in the dimensions from index `i` on.
 */
type Ranked = { dimensions: number[]; lengths: number[] }

/**
 * Vectors of one component that share a dimension. `lengths` has each vector's `Ranked.lengths` at
 * this dimension.
 */
type Group = { vectors: number[]; lengths: number[] }

/**
 * Returns the number of each vector's connected component (docs/similar-transactions.md#clusters).
 *
 * Prefix filtering avoids comparing all pairs. By Cauchy-Schwarz, a dot product is at most the
 * product of the lengths. So at the first dimension that two neighbours share, rarest first, the
 * lengths of their remaining parts have a product of at least `productMin`. Each vector is compared
 * with at most `comparisonsMax` others: time is linear, but a component may remain split.
 */
export function findComponents(vectors: readonly Vector[], comparisonsMax = 1_000): number[] {
  const parents = vectors.map((_, index) => index)
  const testedWith = new Int32Array(vectors.length).fill(-1)
  const areNeighbours = createNeighbourTest(vectors)
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
        if (root === findRoot(parents, index)) continue
        const isNeighbour = group.vectors.some((other, i) => {
          comparisons += 1
          if (comparisons > comparisonsMax) return true
          if (testedWith[other] === index) return false
          testedWith[other] = index
          return (group.lengths[i] ?? 0) * length >= productMin && areNeighbours(index, other)
        })
        if (comparisons > comparisonsMax) break
        if (isNeighbour) parents[root] = findRoot(parents, index)
      }
      mergeGroup(groups, findRoot(parents, index), { vectors: [index], lengths: [length] })
    }
  }
  return vectors.map((_, index) => findRoot(parents, index))
}

/** Returns a test for a squared distance of at most 0.5; fast while `index` stays the same. */
function createNeighbourTest(
  vectors: readonly Vector[],
): (index: number, other: number) => boolean {
  const ends = vectors.map(({ dimensions }) => (dimensions.at(-1) ?? 0) + 1)
  const dense = new Float64Array(ends.reduce((most, end) => Math.max(most, end), 0))
  let expanded: Vector | undefined
  const expand = (vector: Vector): void => {
    for (const dimension of expanded?.dimensions ?? []) dense[dimension] = 0
    for (const [at, dimension] of vector.dimensions.entries()) {
      dense[dimension] = vector.values[at] ?? 0
    }
    expanded = vector
  }
  return (index, other) => {
    const [a, b] = [vectors[index], vectors[other]]
    if (!a || !b) return false
    if (a !== expanded) expand(a)
    let product = 0
    for (let at = 0; at < b.values.length; at++) {
      product += (dense[b.dimensions[at] ?? 0] ?? 0) * (b.values[at] ?? 0)
    }
    return product >= productMin && squaredDistance(a, b) <= distanceMax
  }
}

/** Merges groups whose components were merged since the last call. */
function regroup(groups: Map<number, Group>, parents: number[]): void {
  for (const [before, group] of groups) {
    const root = findRoot(parents, before)
    if (root === before) continue
    groups.delete(before)
    mergeGroup(groups, root, group)
  }
}

function mergeGroup(groups: Map<number, Group>, root: number, more: Group): void {
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

/** Union-find with path halving: returns the root of a vector's component. */
function findRoot(parents: number[], index: number): number {
  let root = index
  for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) {
    parents[root] = parents[parent] ?? parent
    root = parents[root] ?? root
  }
  return root
}

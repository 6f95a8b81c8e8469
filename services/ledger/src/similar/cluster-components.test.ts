import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findComponents } from './cluster-components.ts'
import { squaredDistance, type Vector } from './cluster-vectors.ts'

/** Returns a vector with these weights by dimension, scaled to length 1. */
function unit(weights: Record<number, number>): Vector {
  const dimensions = Object.keys(weights).map(Number)
  const length = Math.hypot(...Object.values(weights))
  return { dimensions, values: Object.values(weights).map((one) => Math.fround(one / length)) }
}

/** Returns for each vector the index of the first vector in its component. */
function firstOfEach(components: readonly number[]): number[] {
  return components.map((one) => components.indexOf(one))
}

/** Reference implementation: compares every pair until no component changes. */
function byEveryPair(vectors: readonly Vector[]): number[] {
  const first = vectors.map((_, index) => index)
  for (let round = 0; round < vectors.length; round++) {
    for (const [i, a] of vectors.entries()) {
      for (const [j, b] of vectors.entries()) {
        if (squaredDistance(a, b) > 0.5) continue
        first[i] = first[j] = Math.min(first[i]!, first[j]!)
      }
    }
  }
  return first
}

test('three common words of four make neighbours, two do not', () => {
  const even = (...dimensions: number[]) => unit(Object.fromEntries(dimensions.map((d) => [d, 1])))
  const vectors = [even(0, 1, 2, 3), even(0, 1, 2, 4), even(0, 1, 5, 6), even(5, 6, 7, 8)]
  expect(squaredDistance(vectors[0]!, vectors[1]!)).toBe(0.5)
  expect(firstOfEach(findComponents(vectors))).toEqual([0, 0, 2, 3])
})

test('six common words of eight make neighbours despite rounding', () => {
  const even = (...dimensions: number[]) => unit(Object.fromEntries(dimensions.map((d) => [d, 1])))
  const vectors = [even(0, 1, 2, 3, 4, 5, 6, 7), even(0, 1, 2, 3, 4, 5, 8, 9)]
  expect(firstOfEach(findComponents(vectors))).toEqual([0, 0])
})

test('distant vectors are connected through those between them', () => {
  const turned = (degrees: number) =>
    unit({ 0: Math.cos((degrees * Math.PI) / 180), 1: Math.sin((degrees * Math.PI) / 180) })
  const vectors = [turned(5), turned(85), turned(45)]
  expect(squaredDistance(vectors[0]!, vectors[1]!)).toBeGreaterThan(0.5)
  expect(firstOfEach(findComponents(vectors))).toEqual([0, 0, 0])
})

test('work is linear in the number of vectors, however many share their terms', () => {
  const six = fc.uniqueArray(fc.nat(59), { minLength: 6, maxLength: 6 })
  const samples = fc.sample(six, { numRuns: 2000, seed: 1 })
  const workOf = (count: number, comparisonsMax: number) => {
    let work = 0
    const vectors = samples.slice(0, count).map((dimensions) => {
      const one = unit(Object.fromEntries(dimensions.map((dimension) => [dimension, 1])))
      const { values } = one
      return Object.defineProperty(one, 'values', {
        get: () => {
          work += 1
          return values
        },
      })
    })
    findComponents(vectors, comparisonsMax)
    return work
  }
  expect(workOf(2000, 50)).toBeLessThan(2.2 * workOf(1000, 50))
  const unbounded = [2000, 1000].map((count) => workOf(count, Number.POSITIVE_INFINITY))
  expect(unbounded[0]).toBeGreaterThan(3 * (unbounded[1] ?? 0))
})

test('no vectors have no components', () => {
  expect(findComponents([])).toEqual([])
})

const weight = fc.oneof(fc.constantFrom(1, -1, 2), fc.double({ min: 0.05, max: 3, noNaN: true }))
const vector = fc
  .dictionary(fc.integer({ min: 0, max: 7 }).map(String), weight, { minKeys: 1, maxKeys: 6 })
  .map(unit)

test('the components equal those of comparing every pair', () => {
  fc.assert(
    fc.property(fc.array(vector, { maxLength: 40 }), (vectors) => {
      expect(firstOfEach(findComponents(vectors))).toEqual(byEveryPair(vectors))
    }),
    { numRuns: 300 },
  )
})

test('with few comparisons no separate components are merged', () => {
  fc.assert(
    fc.property(fc.array(vector, { maxLength: 40 }), fc.nat(40), (vectors, comparisonsMax) => {
      const first = byEveryPair(vectors)
      const components = findComponents(vectors, comparisonsMax)
      for (const [index, component] of components.entries()) {
        expect(first[index]).toBe(first[components.indexOf(component)])
      }
    }),
  )
})

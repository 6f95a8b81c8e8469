import { expect, test } from '@jest/globals'
import { createVectors, squaredDistance, type Vector } from './cluster-vectors.ts'
import { findTextWords } from './cluster-words.ts'

// The texts of docs/similar-transactions.md#example; two transactions have the first text.
const netflix = { words: findTextWords('POS DEBIT 1234 NETFLIX.COM LOS GATOS CA'), copies: 2 }
const branch = { words: findTextWords('POS DEBIT 1234 CARIBOU COFFE NORTH BRANCH MN'), copies: 1 }
const electric = { words: findTextWords('ACH Debit - Electric Company'), copies: 1 }
const forest = { words: findTextWords('POS DEBIT 1234 CARIBOU COFFEE FOREST LAKE MN'), copies: 1 }
const paycheck = { words: findTextWords('Paycheck ACME INC'), copies: 1 }

const { names, vectors } = createVectors([netflix, branch, electric, forest, paycheck])

const valuesOf = (vector: Vector | null | undefined) => {
  const { dimensions = [], values = [] } = vector ?? {}
  return Object.fromEntries(dimensions.map((at, i) => [names[at], values[i]?.toFixed(4)]))
}

test('the dimensions are the words seen more than once, in order', () => {
  expect(names).toEqual(['caribou', 'coffee', 'debit', 'gatos', 'los', 'netflixcom', 'pos'])
})

test('the vectors are those of the worked example', () => {
  expect(vectors.map(valuesOf)).toEqual([
    { gatos: '0.5708', los: '0.5708', netflixcom: '0.5708', pos: '0.1501' },
    { caribou: '0.6952', coffee: '0.6952', pos: '0.1829' },
    {},
    { caribou: '0.6952', coffee: '0.6952', pos: '0.1829' },
    {},
  ])
})

test('a text without a value, or without a dimension, has no vector', () => {
  expect(vectors[2]).toBeNull()
  expect(vectors[4]).toBeNull()
  expect(createVectors([])).toEqual({ names: [], vectors: [] })
})

test('the distances are those of the worked example, in both directions', () => {
  const [first, second, , fourth] = vectors
  expect(squaredDistance(first!, first!)).toBe(0)
  expect(squaredDistance(second!, fourth!)).toBe(0)
  expect(squaredDistance(first!, second!)).toBeCloseTo(1.9451, 4)
  expect(squaredDistance(second!, first!)).toBe(squaredDistance(first!, second!))
})

test('a word in nearly every text has a negative weight, and is kept', () => {
  const twice = createVectors([{ words: findTextWords('Tea House'), copies: 2 }])
  // Each word occurs in 2 of 2 texts: its weight ln(2/3) is negative, its scaled value −1/√2.
  expect(twice.vectors[0]?.values).toEqual([-Math.fround(Math.SQRT1_2), -Math.fround(Math.SQRT1_2)])
})

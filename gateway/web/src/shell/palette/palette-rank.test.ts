import { expect, test } from '@jest/globals'
import { paletteRank } from './palette-rank.ts'

test.each([
  ['', 'Groceries', 1],
  ['groc', 'Groceries', 3],
  ['trans', 'New transaction', 2],
  ['transaction new', 'New transaction', 5],
  ['cafe', 'Café', 3],
  ['ries', 'Groceries', 1],
  ['groc rent', 'Groceries', 0],
])('%j fits %j by %i', (typed, text, rank) => {
  expect(paletteRank(typed, text)).toBe(rank)
})

test('further words find an entry, behind those whose text fits', () => {
  expect(paletteRank('token', 'API keys', 'token program')).toBe(0.5)
  expect(paletteRank('api token', 'API keys', 'token program')).toBe(0.5)
  expect(paletteRank('keys', 'API keys', 'token keys')).toBe(2)
  expect(paletteRank('webhook', 'API keys', 'token program')).toBe(0)
})

import { expect, test } from '@jest/globals'
import { distinctTexts } from './distinct.ts'

test.each([
  [
    [
      ['A', 'x'],
      ['B', 'x'],
    ],
    ['A', 'B'],
  ],
  [
    [
      ['A', 'x'],
      ['A', 'y'],
      ['B', 'x'],
    ],
    ['A · x', 'A · y', 'B'],
  ],
  [
    [
      ['A', 'x', '1'],
      ['A', 'x', '2'],
      ['A', '', '3'],
    ],
    ['A · x · 1', 'A · x · 2', 'A'],
  ],
  [
    [['A'], ['A']],
    ['A', 'A'],
  ],
  [[], []],
])('of %j the texts are %j', (things, texts) => {
  expect(distinctTexts(things)).toEqual(texts)
})

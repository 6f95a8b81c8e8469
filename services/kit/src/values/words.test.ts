import { expect, test } from '@jest/globals'
import { findWords, hasVowel } from './words.ts'

const raw = (text: string) => findWords(text).map((word) => word.raw)

test.each([
  ['GOOGLE *YOUTUBEPRE G.CO/HELPPAY#CA', ['GOOGLE', 'YOUTUBEPRE', 'G.CO', 'HELPPAY', 'CA']],
  ["Domino's 19 Inc.", ["Domino's", 'Inc']],
  ['2K4LL1 A1 1234 x', ['2K4LL1']],
  // A word has at most two groups of digits; a part of a longer text such as ab1c2d3e is no word.
  ['ab1c2d ab1c2d3e', ['ab1c2d']],
  ['snake_case Café', ['Caf']],
  ['', []],
])('the words of %j are %j', (text, words) => {
  expect(raw(text)).toEqual(words)
})

test('a word is cleaned of dots, apostrophes and capitals', () => {
  expect(findWords("Domino's NETFLIX.COM").map(({ clean }) => clean)).toEqual([
    'dominos',
    'netflixcom',
  ])
})

test('numbers and codes have no vowel, y counts as one', () => {
  expect(['2k4ll1', '12', 'mktp', 'ny', 'amzn'].map(hasVowel)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
})

import { expect, test } from '@jest/globals'
import { findTextWords } from './cluster-words.ts'

const words = (text: string) =>
  findTextWords(text)
    .map(({ word, place }) => `${word}(${place})`)
    .join(' ')

// The first three cases are the examples of docs/similar-transactions.md#words.
test.each([
  [
    'POS Debit - 1234 - GOOGLE *YOUTUBEPRE G.CO/HELPPAY#CA',
    'pos(0) debit(1) google(2) youtube(3) premium(3) gco(4) helppay(5)',
  ],
  ["ACH Debit - Pwp  Domino's 19  Privacycom 2111508", 'ach(0) debit(1) dominos(3) privacycom(4)'],
  ['AMZN Mktp US*2K4LL1', 'amazon(0)'],
  ['Merchant name: NULL Check Inc.', ''],
  ['wwwamazonco AMZN.COM amazon.com', 'amazon(0) amazon(1) amazon(2)'],
  ['COFFE LAK', 'coffee(0) lake(1)'],
  ['Be my oh so Tea', 'tea(4)'],
  ['', ''],
])('%j has the words %j', (text, expected) => {
  expect(words(text)).toBe(expected)
})

test('places in the merchant text continue after the name', () => {
  expect(words('Debit Card\nTea House')).toBe('debit(0) card(1) tea(2) house(3)')
})

test('a word keeps its spelling; an abbreviation has the spelling of its words', () => {
  expect(findTextWords('AMZN NETFLIX.COM YOUTUBEPREM').map(({ spelling }) => spelling)).toEqual([
    'AMZN',
    'NETFLIX.COM',
    'Youtube',
    'Premium',
  ])
})

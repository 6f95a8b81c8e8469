import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeCluster, type Member } from './cluster-fields.ts'
import { findTextWords } from './cluster-words.ts'

/** Returns a member whose vector has these values by dimension. */
function member(transactionId: string, text: string, weights: Record<number, number>): Member {
  const dimensions = Object.keys(weights).map(Number)
  return {
    transactionId,
    words: findTextWords(text),
    vector: { dimensions, values: Object.values(weights) },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('two words of one token keep their order in the name', () => {
  const names = ['premium', 'youtube']
  const alike = ['txn_2', 'txn_1'].map((id) => member(id, 'YOUTUBEPRE', { 0: 0.6, 1: 0.6 }))
  expect(describeCluster(alike, names)).toMatchObject({
    name: 'Youtube Premium',
    originalName: 'Youtube Premium',
    signature: sha256('premium-youtube'),
    members: ['txn_2', 'txn_1'],
  })
})

test.each([
  ['TEA Tea tea House', 'Tea'],
  ['TEA tea House', 'tea'],
  ['TEA tEa House', 'tEa'],
  ['TEA House', 'TEA'],
])('in %j the word is spelled %s', (text, spelling) => {
  const alike = ['txn_2', 'txn_1'].map((id) => member(id, text, { 0: 1 }))
  expect(describeCluster(alike, ['tea'])?.name).toBe(spelling)
})

test('the place of a word is its mean place in the oldest member that has it', () => {
  const members = [
    member('txn_3', 'Tea House', { 0: 0.7, 1: 0.7 }),
    member('txn_2', 'Old Tea Tea House', { 0: 0.7, 1: 0.7 }),
    member('txn_1', 'House', { 1: 1 }),
  ]
  const { debug } = describeCluster(members, ['tea', 'house']) ?? {}
  const placeOf = (word: string) => debug?.find(({ sanitized }) => sanitized === word)?.order
  expect(placeOf('tea')).toBe(1.5)
  expect(placeOf('house')).toBe(0)
})

test('the heaviest words come first, and only those far above the lightest form the name', () => {
  const weights = { 0: 0.125, 1: -0.75, 2: 0.5 }
  const alike = ['txn_2', 'txn_1'].map((id) => member(id, 'pos tea house', weights))
  const { debug, merchant } = describeCluster(alike, ['pos', 'tea', 'house']) ?? {}
  expect(debug).toMatchObject([
    { sanitized: 'tea', value: -1.5, count: 2 },
    { sanitized: 'house', value: 1, count: 2 },
    { sanitized: 'pos', value: 0.25, count: 2 },
  ])
  // The squared means 0.5625, 0.25 and 0.015625 are divided by their length, 0.61575.
  expect(debug?.map(({ rank }) => rank.toFixed(4))).toEqual(['0.9135', '0.4060', '0.0254'])
  expect(merchant?.map(({ sanitized }) => sanitized)).toEqual(['tea'])
})

test('words of equal weight all form the name, in alphabetical order', () => {
  const alike = ['txn_2', 'txn_1'].map((id) => member(id, 'tea house', { 0: 0.5, 1: 0.5 }))
  const { debug, name } = describeCluster(alike, ['tea', 'house']) ?? {}
  expect(debug?.map(({ sanitized }) => sanitized)).toEqual(['house', 'tea'])
  expect(name).toBe('tea house')
})

test('the centroid is the member nearest to the mean, of several the smallest ID', () => {
  const members = [
    member('txn_4', 'tea', { 0: 1 }),
    member('txn_3', 'tea', { 0: 0.8, 1: 0.6 }),
    member('txn_2', 'tea', { 0: 0.8, 1: 0.6 }),
    member('txn_1', 'tea', { 1: 1 }),
  ]
  expect(describeCluster(members, ['tea', 'house'])?.centroid).toBe('txn_2')
})

test('members form no cluster if the centroid has none of the words', () => {
  const alike = ['txn_2', 'txn_1'].map((id) => member(id, '1234', { 0: 1 }))
  expect(describeCluster(alike, ['tea'])).toBeNull()
  expect(describeCluster([], [])).toBeNull()
})

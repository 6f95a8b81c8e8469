import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { collectTexts } from './cluster-input.ts'
import { findClusters } from './cluster-search.ts'

type Row = { transactionId: string; originalName: string; originalMerchantName: string }

function clustersOf(rows: readonly Row[]) {
  const { add, input } = collectTexts()
  add(rows)
  return findClusters(input)
}

/** Returns rows with these texts, newest first; the oldest has ID 1. */
function rowsOf(texts: readonly string[]): Row[] {
  return texts.map((originalName, index) => {
    return { transactionId: `${texts.length - index}`, originalName, originalMerchantName: '' }
  })
}

test('the six transactions of the worked example make its two clusters', () => {
  const rows = rowsOf([
    'POS DEBIT 1234 NETFLIX.COM LOS GATOS CA',
    'POS DEBIT 1234 CARIBOU COFFE NORTH BRANCH MN',
    'ACH Debit - Electric Company',
    'POS DEBIT 1234 CARIBOU COFFEE FOREST LAKE MN',
    'POS DEBIT 1234 NETFLIX.COM LOS GATOS CA',
    'Paycheck ACME INC',
  ])
  const [netflix, caribou, ...more] = clustersOf(rows)
  expect(more).toEqual([])
  expect(netflix).toMatchObject({
    members: ['6', '2'],
    name: 'NETFLIX.COM LOS GATOS',
    signature: 'f73cece4cd90ff208772fd8e74a85c89ea29b21bc40741a95dd305b5c6c55ffd',
  })
  expect(netflix?.debug.map(({ sanitized, rank }) => [sanitized, rank.toFixed(4)])).toEqual([
    ['gatos', '0.5769'],
    ['los', '0.5769'],
    ['netflixcom', '0.5769'],
    ['pos', '0.0399'],
  ])
  expect(caribou).toMatchObject({
    members: ['5', '3'],
    centroid: '3',
    name: 'CARIBOU COFFEE',
    signature: '092b2c4b78783a006d5202488cfa9ef4ca1b52fa7e4f9055ea2c947d2cd30dd1',
  })
})

test('nothing, one transaction, or texts without words make no cluster', () => {
  expect(clustersOf([])).toEqual([])
  expect(clustersOf(rowsOf(['Tea House']))).toEqual([])
  expect(clustersOf(rowsOf(['1234', '1234', '', '']))).toEqual([])
})

test('texts of words without weight form no cluster', () => {
  // "tea" occurs once less than there are texts, so its weight is ln(1) = 0.
  expect(clustersOf(rowsOf(['Tea', 'Tea', 'Paycheck']))).toEqual([])
})

test('a transaction read twice is in its cluster once', () => {
  const { add, input } = collectTexts()
  const rows = rowsOf(['Tea House', 'Tea House', 'Paycheck ACME', 'Electric Company'])
  add(rows.slice(0, 3))
  add(rows.slice(1))
  expect(findClusters(input).map(({ members }) => members)).toEqual([['4', '3']])
})

const word = fc.constantFrom('pos', 'debit', 'tea', 'house', 'coffee', 'lake', 'Netflix.com', 'gas')
const text = fc.array(word, { minLength: 0, maxLength: 5 }).map((words) => words.join(' '))
const texts = fc.array(text, { maxLength: 40 })

test('a transaction is in one cluster at most, and identical texts are always together', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const rows = rowsOf(all)
      const clusters = clustersOf(rows)
      const members = clusters.flatMap((cluster) => cluster.members)
      expect(new Set(members).size).toBe(members.length)
      const home = new Map(clusters.flatMap((one) => one.members.map((id) => [id, one])))
      const homes = new Map<string, unknown>()
      for (const { transactionId, originalName } of rows) {
        const before = homes.has(originalName) ? homes.get(originalName) : home.get(transactionId)
        expect(home.get(transactionId)).toBe(before)
        homes.set(originalName, before)
      }
      for (const cluster of clusters) expect(cluster.members).toContain(cluster.centroid)
      for (const cluster of clusters) expect(cluster.members.length).toBeGreaterThan(1)
    }),
  )
})

test('the clusters do not depend on the order of transactions', () => {
  const shuffled = texts.chain((all) => {
    const rows = rowsOf(all)
    const every = { minLength: rows.length, maxLength: rows.length }
    return fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, every))
  })
  const membership = (rows: readonly Row[]) =>
    clustersOf(rows)
      .map(({ members }) => members.toSorted().join(' '))
      .sort()
  fc.assert(
    fc.property(shuffled, ([rows, mixed]) => {
      expect(membership(mixed)).toEqual(membership(rows))
    }),
  )
})

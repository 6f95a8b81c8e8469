import { expect, test } from '@jest/globals'
import type { HistoryEntry } from '../../api/history-queries.ts'
import { freeChanges } from './free-changes.ts'

const entry = (operationId: string, pot: string, delta: number) =>
  ({ operationId, pot, delta, cause: 'transaction' }) as HistoryEntry

const entries = [
  entry('moved', 'envelope', 40),
  entry('bill', 'available', -100),
  entry('bill', 'current', -100),
  entry('bill', 'envelope', -70),
  entry('covered', 'available', -20),
  entry('covered', 'envelope', -20),
  entry('moved over', 'envelope', 10),
  entry('moved over', 'envelope', -10),
  entry('wage', 'current', 500),
  entry('wage', 'available', 500),
]

test('a change of free-to-use is what the envelopes do not bear', () => {
  const changes = freeChanges(entries, { free: 930, isCut: false })
  expect(
    changes.map(({ operationId, pot, delta, amount }) => [operationId, pot, delta, amount]),
  ).toEqual([
    ['moved', 'envelope', -40, 930],
    ['bill', 'free', -30, 970],
    ['wage', 'free', 500, 1_000],
  ])
})

test('the oldest operation of a cut list is not known whole', () => {
  expect(freeChanges(entries, { free: 930, isCut: true })).toHaveLength(2)
})

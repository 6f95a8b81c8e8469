import { expect, test } from '@jest/globals'
import { isCode, writtenFiles } from '../house/files.ts'
import { ownMidnights } from './own-midnights.ts'

test('one function calculates midnight', () => {
  expect(ownMidnights(writtenFiles().filter(isCode))).toEqual([])
})

test.each([
  ["day.startOf('day')", 1],
  ['const start = fromLocal(day * dayMs, timezone)', 1],
  ['date.setHours(0, 0, 0, 0)', 1],
  ["today.startOf('month')", 0],
  ['midnightOf(instant, timezone)', 0],
])('%s is reported %i times', (text, count) => {
  expect(ownMidnights([{ path: 'services/ledger/src/a.ts', text }])).toHaveLength(count)
  expect(ownMidnights([{ path: 'services/ledger/src/a.test.ts', text }])).toEqual([])
  expect(ownMidnights([{ path: 'services/kit/src/values/day.ts', text }])).toEqual([])
})

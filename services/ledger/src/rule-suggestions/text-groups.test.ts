import { expect, test } from '@jest/globals'
import { groupTexts } from './text-groups.ts'

const rowsOf = (...texts: string[]) =>
  groupTexts(texts.map((text) => ({ text, count: 3, clusterId: null })))

test.each([
  ['LIDL 1 BERLIN', 'startsWith', 'LIDL'],
  ['KORTKÖP 26030 ICA SUPERMARKET STOCKHOLM', 'pattern', '* ICA *'],
  ['KORTKÖP 26030 WILLYS STOCKHOLM', 'contains', 'WILLYS'],
])('the condition of %s is %s %s', (text, kind, found) => {
  expect(rowsOf(text)[0]?.condition).toEqual({ kind, text: found })
})

test('a short text that stands between no blanks is not suggested', () => {
  expect(rowsOf('KORTKÖP 26030/ICA SUPERMARKET')).toEqual([])
})

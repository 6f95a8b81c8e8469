import { expect, test } from '@jest/globals'
import { checklistFaults, itemNumbers } from './checklist.ts'

const files = [
  { path: 'src/lock.ts', text: 'export const lock = 1' },
  { path: 'src/lock.test.ts', text: "test('the lock is closed', () => {})" },
]
const rowOf = (number: string) =>
  `| ${number} | a lock | met | \`src/lock.ts\` | \`src/lock.test.ts\`: *the lock is closed* |`
const [first = '', ...others] = itemNumbers
const pageOf = (row: string) => [row, ...others.map(rowOf)].join('\n')

test('a page with a place and a test for every item has no fault', () => {
  expect(itemNumbers).toHaveLength(71)
  expect(checklistFaults(pageOf(rowOf(first)), files)).toEqual([])
  const notHere = `| ${first} | phones | not here | nothing is sent to phones | – |`
  expect(checklistFaults(pageOf(notHere), files)).toEqual([])
})

test.each([
  ['an item left out', '', '6.1.1 is missing'],
  ['an item there twice', `${rowOf(first)}\n${rowOf(first)}`, '6.1.1 is there twice'],
  ['an item there is not', `${rowOf(first)}\n${rowOf('6.9.1')}`, '6.9.1 is there twice, or none'],
  ['another state', rowOf(first).replace('met', 'done'), '6.1.1: "done" is no state'],
  ['no place', rowOf(first).replace('`src/lock.ts`', ''), '6.1.1 says neither where nor why'],
  [
    'no test',
    rowOf(first)
      .replace('.test.ts', '.ts')
      .replace(/: \*.*\*/, ''),
    '6.1.1 has no test',
  ],
  ['a file not there', rowOf(first).replace('src/lock.ts', 'src/gate.ts'), 'src/gate.ts is not'],
  ['a test not there', rowOf(first).replace('closed', 'open'), 'has no test "the lock is open"'],
])('%s is a fault', (_, row, fault) => {
  expect(checklistFaults(pageOf(row), files)).toEqual([expect.stringContaining(fault)])
})

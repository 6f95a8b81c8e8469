import { expect, test } from '@jest/globals'
import { rowNames } from './row-names.ts'

type Row = Parameters<typeof rowNames>[0][number]

/** Names journal rows that are given oldest first. */
function namesOf(...rows: Partial<Row>[]): string[] {
  const of = { operationId: '', cause: 'transaction', causeId: 'txn_1', pot: 'envelope' } as const
  const all = rows.map((row) => ({ ...of, spendingId: 'spnd_1', delta: -3800, ...row }))
  return rowNames(all.toReversed()).toReversed()
}

const market = { transactionId: 'txn_1', name: 'Market', amount: 2900, date: '', notes: null }
const transaction = { ...market, deletedAt: null }
const paid = { transaction }
const less = { transaction, delta: 900 }
const back = { transaction, delta: 3800 }
const gone = { causeId: 'txn_2' }
const undo = { cause: 'undo', causeId: 'txup_1', delta: 3800 } as const
const upload = { transactionUploadId: 'txup_1', fileName: 'a.csv' }

test.each<[string, Partial<Row>[], string[]]>([
  ['a changed amount', [paid, less], ['Market', 'Market, corrected']],
  ['a payment that leaves and comes back', [paid, back, paid], ['Market', 'Market', 'Market']],
  [
    'a correction of free money',
    [
      { ...paid, pot: 'free' },
      { ...less, pot: 'free', spendingId: null },
    ],
    ['Market', 'Market, corrected'],
  ],
  ['two pots', [paid, { ...paid, pot: 'available', spendingId: null }], ['Market', 'Market']],
  ['an undone import', [gone, undo], ['Payment of an undone import', 'Import undone']],
  [
    'a deletion for good',
    [gone, { ...undo, ...gone, cause: 'deletion' }, undo],
    ['Payment, deleted since', 'Deleted payment', 'Import undone'],
  ],
  ['a refund', [{ ...gone, cause: 'refund', delta: 3800 }], ['Refund, deleted since']],
  ['payments of a file', [{ causeId: 'txup_1', upload }], ['Payments in a.csv']],
  [
    'the end of the grace',
    [{ cause: 'period-closed', operationId: 'spnd_1/grace/1' }],
    ['Late money becomes free to use'],
  ],
])('rows of %s are named', (_, rows, names) => {
  expect(namesOf(...rows)).toEqual(names)
})

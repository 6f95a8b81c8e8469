import { expect, test } from '@jest/globals'
import { type Columns, mappingOf } from './column-mapping.ts'
import { readColumns } from './read-columns.ts'

const columns: Columns = {
  date: 'Day',
  format: 'YYYY-MM-DD',
  memo: 'Text',
  merchant: '',
  amountKind: 'sign',
  amount: 'Sum',
  debits: '',
  credits: '',
  direction: '',
  debitWord: '',
  creditWord: '',
  out: 'minus',
  id: '',
  balance: '',
}

test.each<[string, Partial<Columns>, string[]]>([
  ['the least', {}, ['Day', 'Text', 'Sum']],
  [
    'a balance and a payee',
    { balance: 'Saldo', merchant: 'Who' },
    ['Day', 'Text', 'Who', 'Sum', 'Saldo'],
  ],
  ['an identifier', { id: 'No' }, ['Day', 'Text', 'Sum', 'No']],
  [
    'two amounts',
    { amountKind: 'column', debits: 'Out', credits: 'In' },
    ['Day', 'Text', 'Out, In'],
  ],
])('of a mapping with %s all columns are named', (_, more, read) => {
  const mapping = mappingOf({ ...columns, ...more }, [])
  expect(readColumns(mapping).map(({ column }) => column)).toEqual(read)
})

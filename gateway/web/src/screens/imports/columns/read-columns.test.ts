import { expect, test } from '@jest/globals'
import { type Columns, mappingOf } from './column-mapping.ts'
import { readColumns, readManner } from './read-columns.ts'

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

test.each<[Partial<Columns>, string[]]>([
  [{}, ['2026-12-31 (YYYY-MM-DD)', 'come in']],
  [{ format: 'DD/MM/YYYY', out: 'plain' }, ['31/12/2026 (DD/MM/YYYY)', 'leave the account']],
  [
    { amountKind: 'type', direction: 'Way', debitWord: 'Out', creditWord: 'In' },
    ['2026-12-31 (YYYY-MM-DD)', 'Out', 'In'],
  ],
])('of a mapping of %j the order of the days and the direction are named', (more, read) => {
  const mapping = mappingOf({ ...columns, ...more }, [])
  expect(readManner(mapping).map(({ column }) => column)).toEqual(read)
})

import { expect, test } from '@jest/globals'
import { strayWrites } from './writes.ts'

const invented = 'services/ledger/src/merchant.sql.ts'

test.each([
  'UPDATE transactions SET name = new.name',
  'UPDATE ONLY "transactions" SET name = NULL',
  'DELETE FROM journal WHERE account_id = $1',
  'delete from\n  ledger.envelopes USING owner',
  'INSERT INTO\n      bank_accounts (account_id)',
  'TRUNCATE operations',
  'UPDATE bank_accounts SET unsearched_from = 1, goals = 0 WHERE true',
  "insertOf('provider_transactions', Record, record)",
  "deleteSome(database, { table: 'transactions', where, limit })",
  "guardedInsert({ table: 'journal', entity }, 'entries')",
  "const part = { table: 'journal', entity: JournalEntry }",
  'UPDATE spending SET is_paused = true',
  'DELETE FROM $' + '{sql.identifier([table])}',
])('%s is reported', (statement) => {
  expect(strayWrites({ path: invented, text: `const ok = 1\n${statement}` })).toEqual([
    expect.stringMatching(/^services\/ledger\/src\/merchant\.sql\.ts:2: /),
  ])
})

test.each([
  'SELECT 1 FROM transactions FOR NO KEY UPDATE',
  'INSERT INTO transaction_clusters SELECT 1 FROM transactions',
  'ON CONFLICT DO UPDATE SET name = excluded.name',
  "columnsOf(Transaction, { table: 'transactions' })",
  'UPDATE uploads SET undone_at = now()',
  'UPDATE bank_accounts\n SET unsearched_from = 1 + 1\n WHERE true',
])('%s is fine', (statement) => {
  expect(strayWrites({ path: invented, text: statement })).toEqual([])
})

test('the writer may, and so may tests', () => {
  const text = 'UPDATE transactions SET amount = 0'
  const writer = 'services/ledger/src/money/money-save.sql.ts'
  expect(strayWrites({ path: writer, text })).toEqual([])
  expect(strayWrites({ path: 'services/ledger/test/audit.test.ts', text })).toEqual([])
  const planWriter = 'services/budgeting/src/plans/plan-save.sql.ts'
  expect(strayWrites({ path: planWriter, text: 'DELETE FROM spending' })).toEqual([])
  expect(strayWrites({ path: planWriter, text })).toHaveLength(1)
  expect(strayWrites({ path: 'services/kit/src/rows.ts', text })).toHaveLength(1)
})

import { expect, test } from '@jest/globals'
import { parseModule } from './modules.ts'
import { strayImports, strayWrites, untoldWrites } from './writes.ts'

const invented = 'services/ledger/src/merchant.sql.ts'

test.each([
  'UPDATE transactions SET name = new.name',
  'UPDATE ONLY "transactions" SET name = NULL',
  'DELETE FROM journal WHERE account_id = $1',
  'delete from\n  ledger.envelopes USING owner',
  'INSERT INTO\n      bank_accounts (account_id)',
  'UPDATE ledger . transactions SET amount = 0',
  'TRUNCATE operations',
  'COPY transactions FROM STDIN',
  'UPDATE /*x*/ transactions SET amount = 0',
  'DELETE -- every one\n FROM journal',
  'TRUNCATE uploads, transactions',
  'UPDATE bank_accounts SET unsearched_from = 1, goals = 0 WHERE true',
  'UPDATE bank_accounts SET unsearched_from = (SELECT 1 WHERE true), available_balance = 5',
  'UPDATE journal SET unsearched_from = 1 WHERE true',
  "insertOf('provider_transactions', Record, record)",
  'insertOf("transactions", Transaction, transaction)',
  'insertOf(table, Transaction, transaction)',
  'deleteSome(database, { table, where, limit })',
  "deleteSome(database, { table: 'transactions', where, limit })",
  "guardedInsert({ table: 'journal', entity }, 'entries')",
  "const part = { table: 'journal', entity: JournalEntry }",
  'UPDATE spending SET is_paused = true',
  'const part = { table: name, entity: JournalEntry }',
  'DELETE FROM $' + '{sql.identifier([table])}',
  "'UPDATE ' + table",
  "'UPDATE' + gap + table",
])('%s is reported', (statement) => {
  expect(strayWrites({ path: invented, text: `const ok = 1\n${statement}` })).toEqual([
    expect.stringMatching(/^services\/ledger\/src\/merchant\.sql\.ts:2: /),
  ])
})

test.each([
  'SELECT 1 FROM transactions FOR NO KEY UPDATE',
  'INSERT INTO transaction_clusters SELECT 1 FROM transactions',
  "insertOf('uploads', Upload, upload)",
  'ON CONFLICT DO UPDATE SET name = excluded.name',
  "columnsOf(Transaction, { table: 'transactions' })",
  'UPDATE uploads SET undone_at = now()',
  'UPDATE bank_accounts\n SET unsearched_from = 1 + 1\n WHERE true',
])('%s is fine', (statement) => {
  expect(strayWrites({ path: invented, text: statement })).toEqual([])
})

test('the writer and tests may write', () => {
  const text = 'UPDATE transactions SET amount = 0'
  const writer = 'services/ledger/src/money/money-save.sql.ts'
  expect(strayWrites({ path: writer, text })).toEqual([])
  expect(strayWrites({ path: 'services/ledger/test/audit.test.ts', text })).toEqual([])
  const planWriter = 'services/budgeting/src/plans/plan-save.sql.ts'
  expect(strayWrites({ path: planWriter, text: 'DELETE FROM spending' })).toEqual([])
  expect(strayWrites({ path: planWriter, text })).toHaveLength(1)
  expect(strayWrites({ path: 'services/kit/src/database/rows.ts', text })).toHaveLength(1)
  expect(strayWrites({ path: 'deploy/local/bootstrap/main.mjs', text })).toHaveLength(1)
})

test('a migration after the first one may write only if it is listed', () => {
  const text = 'ALTER TABLE spending ADD COLUMN n int4;\nUPDATE spending SET n = 1'
  const faults = (name: string) =>
    strayWrites({ path: `services/budgeting/migrations/${name}.sql`, text })
  expect(faults('0009-new')).toEqual([expect.stringContaining('0009-new.sql:2: UPDATE spending')])
  expect(faults('0001-budgeting')).toEqual([])
  expect(faults('0002-plan-books')).toEqual([])
})

test('only listed files import the statements of a writer', () => {
  const faults = (path: string, text: string) => strayImports(parseModule({ path, text }))
  const past = `import { saveMoney } from './money/money-save.sql.ts'`
  expect(faults('services/ledger/src/link.rpc.ts', past)).toEqual([
    'services/ledger/src/link.rpc.ts:1: imports money/money-save.sql.ts, past the money writer',
  ])
  const passedOn = `export * from '../../ledger/src/money/uploaded-rows.sql.ts'`
  expect(faults('services/budgeting/src/plans.ts', passedOn)).toHaveLength(1)
  const own = `import { saveMoney } from './money-save.sql.ts'`
  expect(faults('services/ledger/src/money/writer.service.ts', own)).toEqual([])
  expect(faults('services/ledger/test/money.test.ts', own.replace('./', '../src/money/'))).toEqual(
    [],
  )
})

test('a file that writes by a listed statement tells what changed', () => {
  const path = 'services/ledger/src/imports/file-import.activities.ts'
  const silent = { path, text: "import { insertUploaded } from '../money/uploaded-rows.sql.ts'" }
  const fault = `${path}: writes, and tells no object that changes`
  expect(untoldWrites([silent].map(parseModule))).toEqual([])
  const writer = { path: 'services/ledger/src/money/uploaded-rows.sql.ts', text: '' }
  expect(untoldWrites([writer, silent].map(parseModule))).toEqual([fault])
  const telling = {
    path,
    text: "import { emitTransactions } from '../money/changed-rows.sql.ts'",
  }
  expect(untoldWrites([writer, telling].map(parseModule))).toEqual([])
})

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { inBulk } from '@coffer/host/testing/database'
import { createHousehold } from '@coffer/host/testing/household'
import { wideScans } from '@coffer/kit/testing/plans'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

test('a write reads only the rows of its scope, in an account of many transactions', async () => {
  const home = await createHousehold(booted, { availableBalance: 1000n })
  const { as, bankAccountId, envelopes, transactions } = home
  const database = booted.database('ledger')
  const before = new Set(database.texts())
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, as)
  const bill = { bankAccountId, amount: 70n, date, name: 'Bill', spendingId }
  const { transaction } = await transactions.createTransaction(bill, as)
  const key = { bankAccountId, transactionId: transaction?.transactionId ?? '' }
  const change = { amount: 80n, updateMask: { paths: ['amount'] } }
  await transactions.updateTransaction({ ...key, ...change }, as)
  await transactions.deleteTransaction({ ...key, adjustsBalance: true, soft: false }, as)
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  const statements = database
    .texts()
    .filter((text) => !before.has(text) && /\b(INSERT INTO|UPDATE|DELETE FROM)\b/.test(text))
  expect(statements.length).toBeGreaterThan(3)
  const place = { url: booted.databaseUrl, schema: 'ledger' }
  // Gives the query planner the statistics of a household with several years of transactions.
  await inBulk(place, async (tx) => {
    await tx.query(sql.unsafe`
      INSERT INTO transactions (account_id, bank_account_id, transaction_id, amount, categories,
        date, name, original_name, original_merchant_name, is_pending, source, created_at)
      SELECT ${home.accountId}, ${bankAccountId}, 'txn_' || number, number, '{}',
        now() - make_interval(hours => number), 'Tea', 'Tea', '', false, 'manual', now()
      FROM generate_series(1, 5000) AS number`)
    await tx.query(sql.unsafe`
      INSERT INTO envelopes (account_id, bank_account_id, spending_id, spending_type,
        current_amount, used_amount, period_spent, version, opened_at)
      SELECT ${home.accountId}, ${bankAccountId}, 'spnd_' || number, 'goal', 0, 0, 0, 1, now()
      FROM generate_series(1, 500) AS number`)
  })
  await database.pool.query(sql.unsafe`ANALYZE transactions, envelopes, bank_accounts`)
  const scans = await wideScans(place, {
    statements: statements.filter((text) => !text.includes('transaction_clusters')),
    tables: ['envelopes', 'transactions', 'journal'],
    columns: ['transaction_id', 'spending_id', 'entry_id'],
  })
  expect(scans).toEqual([])
})

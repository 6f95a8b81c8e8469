import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { type QuerySqlToken, sql } from 'slonik'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { aRow, syncedHome } from '../syncs/syncing.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

/**
 * Creates a household with envelopes, transfers, assigned transactions and all kinds of deletion.
 */
async function usedHousehold() {
  const home = await createHousehold(booted, { availableBalance: 5000n, currentBalance: 5000n })
  const { as, bankAccountId, envelopes, transactions } = home
  const [spendingId, goal] = [newId('spnd'), newId('spnd')]
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 900n }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: goal, amount: 800n }, as)
  const spend = async (amount: bigint, from: string) => {
    const body = { bankAccountId, amount, date, name: 'Bill', spendingId: from }
    const created = await transactions.createTransaction({ ...body, adjustsBalance: true }, as)
    return created.transaction?.transactionId ?? ''
  }
  await spend(100n, spendingId)
  const [kept, returned, removed] = [
    await spend(200n, goal),
    await spend(300n, spendingId),
    await spend(150n, goal),
  ]
  const drop = (transactionId: string, adjustsBalance: boolean, soft: boolean) =>
    transactions.deleteTransaction({ bankAccountId, transactionId, adjustsBalance, soft }, as)
  await drop(kept, false, true)
  await drop(returned, true, true)
  await drop(removed, false, false)
  return { ...home, spendingId, goal }
}

test('has no findings after operations of every kind', async () => {
  await usedHousehold()
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('has no findings after envelopes are closed', async () => {
  const { as, bankAccountId, envelopes, spendingId, goal } = await usedHousehold()
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  await envelopes.closeEnvelope({ bankAccountId, spendingId: goal }, as)
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

type Tamper = (home: Awaited<ReturnType<typeof usedHousehold>>) => QuerySqlToken

const tampering: [string, Tamper][] = [
  [
    'a balance equals its journal',
    ({ accountId }) => sql.unsafe`
      UPDATE bank_accounts SET current_balance = current_balance + 1
      WHERE account_id = ${accountId}`,
  ],
  [
    'an envelope equals its journal',
    ({ accountId, goal }) => sql.unsafe`
      UPDATE envelopes SET used_amount = used_amount + 1
      WHERE account_id = ${accountId} AND spending_id = ${goal}`,
  ],
  [
    'every row of the journal follows from the one before',
    ({ accountId, spendingId }) => sql.unsafe`
      UPDATE journal SET amount = amount + 1
      WHERE account_id = ${accountId} AND spending_id = ${spendingId} AND cause = 'transfer'`,
  ],
  [
    'the totals are the sums over the open envelopes',
    ({ accountId }) => sql.unsafe`
      UPDATE bank_accounts SET goals = goals + 1 WHERE account_id = ${accountId}`,
  ],
  [
    'what an envelope gave is what its transactions say',
    ({ accountId, spendingId }) => sql.unsafe`
      UPDATE transactions SET spending_amount = spending_amount - 1
      WHERE account_id = ${accountId} AND spending_id = ${spendingId} AND deleted_at IS NULL`,
  ],
]

test.each(tampering)('finds a violation of: %s', async (rule, tamper) => {
  const home = await usedHousehold()
  const database = booted.database('ledger')
  await database.pool.query(tamper(home))
  const findings = await auditLedger(database)
  const own = findings.filter(({ accountId }) => accountId === home.accountId)
  expect([...new Set(own.map((one) => one.rule))]).toEqual([rule])
})

test('finds a synced transaction whose amount differs from its provider record', async () => {
  const home = await syncedHome(booted)
  await home.brings(aRow(), aRow({ isPending: true, amount: 5n }))
  const database = booted.database('ledger')
  await database.pool.query(sql.unsafe`
    UPDATE transactions SET amount = amount + 1 WHERE account_id = ${home.accountId}`)
  const found = (await auditLedger(database)).filter(
    ({ accountId }) => accountId === home.accountId,
  )
  const rule = 'a synced transaction is what its provider says'
  expect(found.map((one) => one.rule)).toEqual([rule, rule])
})

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { opening } from '../imports/uploading.ts'
import { rulingOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const rulesOf = rulingOf(booted)

test('rules fill what a transaction by hand leaves out, if it asks for it', async () => {
  const home = await createHousehold(booted, opening)
  const { as, bankAccountId, envelopes, transactions } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 700n }, as)
  const other = await createHousehold(booted, { accountId: home.accountId })
  const actions = { name: 'x', merchantName: 'Deli', tags: ['food'], spendingId }
  const { write } = rulesOf(home)
  const [ruleId] = await write({ actions: { ...actions, refundSpendingId: spendingId } })
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const row = { amount: 500n, date, name: 'Deli', appliesRules: true }
  const { transaction } = await transactions.createTransaction({ bankAccountId, ...row }, as)
  const filled = { name: 'Deli', merchantName: 'Deli', tags: ['food'], spendingId }
  expect(transaction).toMatchObject({ ...filled, spendingAmount: 500n })
  const key = { bankAccountId, transactionId: transaction?.transactionId ?? '' }
  const found = await transactions.getTransaction({ ...key, includesProvenance: true }, as)
  expect(found.transaction?.provenance).toMatchObject([
    { field: 'name', by: 'user' },
    { field: 'merchantName', by: 'rule', ruleId },
    { field: 'tags', by: 'rule', ruleId },
    { field: 'spendingId', by: 'rule', ruleId },
  ])
  const { results } = await transactions.createTransactions(
    {
      bankAccountId,
      transactions: [
        { ...row, merchantName: 'Mine', tags: ['mine'] },
        { ...row, amount: -100n },
        { ...row, appliesRules: false },
        // None is an answer too.
        { ...row, merchantName: '', hasNoTags: true },
      ],
    },
    as,
  )
  expect(results.map(({ result }) => result.value)).toMatchObject([
    { merchantName: 'Mine', tags: ['mine'], spendingAmount: 200n },
    { tags: ['food'], refundSpendingId: spendingId, refundAmount: 100n },
    { tags: [] },
    { merchantName: undefined, tags: [], spendingId },
  ])
  const elsewhere = { bankAccountId: other.bankAccountId, ...row }
  const foreign = await transactions.createTransaction(elsewhere, as)
  expect(foreign.transaction).toMatchObject({ tags: ['food'] })
  expect(foreign.transaction?.spendingId).toBeUndefined()
})

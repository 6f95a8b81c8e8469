import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { TagService } from '@coffer/proto/ledger/v1/tag'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { importFile, opening, statementOf, undo } from '../imports/uploading.ts'
import { listed, problems, refusals } from '../outcomes.ts'
import { aRow, feedHome, type SyncedHome, syncedHome } from '../syncs/syncing.ts'
import { deli, type Parts, rulingOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const paths = (...names: string[]) => ({ updateMask: { paths: names } })

const rulesOf = rulingOf(booted)
const Written = z.object({ command: z.string(), rows: z.bigint(), amount: z.bigint() })

/** Opens an envelope of a synced bank account with an amount. */
async function envelopeOf({ envelopes, bankAccountId, as }: SyncedHome, amount: bigint) {
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount }, as)
  return spendingId
}

/** Returns who has set the fields of a transaction, by field. */
async function provenance({ transactions, bankAccountId, as }: SyncedHome, transactionId = '') {
  const request = { bankAccountId, transactionId, includesProvenance: true }
  const { transaction } = await transactions.getTransaction(request, as)
  return Object.fromEntries(
    (transaction?.provenance ?? []).map(({ field, by, ruleId }) => [field, ruleId ?? by]),
  )
}

test('rules are listed in their order, changed, and deleted, by their account alone', async () => {
  const home = await createHousehold(booted)
  const { as } = home
  const { client, write, order } = rulesOf(home)
  const ids = await write({ actions: { name: 'a' } }, { actions: { tags: ['b', 'B', 'c'] } })
  const [first = '', second = ''] = ids
  expect(await order()).toEqual(ids)
  const { rules } = await client.orderRules({ ruleIds: [second, first] }, as)
  expect(rules.map(({ ruleId }) => ruleId)).toEqual([second, first])
  expect(rules[0]?.actions?.tags).toEqual(['b', 'c'])
  const change = { ruleId: first, conditions: { amountFrom: 5n } }
  const { rule } = await client.updateRule(change, as)
  expect(rule).toMatchObject({
    name: 'Rule',
    conditions: { amountFrom: 5n },
    actions: { name: 'a' },
  })
  expect(rule?.conditions?.originalName).toBeUndefined()
  expect((await client.updateRule({ ruleId: first }, as)).rule).toEqual(rule)
  expect((await client.getRule({ ruleId: first }, as)).rule).toEqual(rule)
  const stranger = booted.as(newId('acct'))
  expect((await client.listRules({}, stranger)).rules).toEqual([])
  const theirs = await refusals(
    client.getRule({ ruleId: first }, stranger),
    client.updateRule(change, stranger),
    client.deleteRule({ ruleId: first }, stranger),
    client.orderRules({ ruleIds: ids }, stranger),
  )
  expect(theirs).toEqual(['NotFound', 'NotFound', 'NotFound', 'NotFound'])
  await client.deleteRule({ ruleId: first }, as)
  expect(await order()).toEqual([second])
})

test.each<[Parts, object]>([
  [{ conditions: {}, actions: { name: 'x' } }, { conditions: expect.any(String) }],
  [{ conditions: deli, actions: {} }, { actions: expect.any(String) }],
  [
    { conditions: { originalName: { kind: 'contains', text: '\u0301' } }, actions: { name: 'x' } },
    { conditions: { originalName: { text: expect.any(String) } } },
  ],
  [
    {
      conditions: { originalName: { kind: 'pattern', text: '*\u0301 *' } },
      actions: { name: 'x' },
    },
    { conditions: { originalName: { text: expect.any(String) } } },
  ],
  [
    { conditions: deli, actions: { tags: ['a', '\u0301'] } },
    { actions: { tags: { 1: expect.any(String) } } },
  ],
  [
    { conditions: { amountFrom: 5n, amountTo: 4n }, actions: { name: 'x' } },
    { conditions: { amountTo: expect.any(String) } },
  ],
])('the rule %j is refused', async (parts, expected) => {
  const home = await createHousehold(booted)
  const { client } = rulesOf(home)
  expect(await problems(client.createRule({ name: 'x', ...parts }, home.as))).toEqual(expected)
})

test('an account has at most 500 rules, also of requests at the same time', async () => {
  const home = await createHousehold(booted)
  const { client, write, order } = rulesOf(home)
  await write({ actions: { name: 'x' } })
  await booted.database('ledger').pool.query(sql.unsafe`
    INSERT INTO rules (account_id, rule_id, place, name, conditions, actions, created_at,
      updated_at)
    SELECT account_id, rule_id || n, n, name, conditions, actions, created_at, updated_at
    FROM rules, generate_series(2, 499) AS n WHERE account_id = ${home.accountId}`)
  const create = () =>
    client.createRule({ name: 'x', conditions: deli, actions: { name: 'x' } }, home.as)
  const outcomes = await refusals(create(), create(), create())
  expect(outcomes.filter((one) => one === 'accepted')).toHaveLength(1)
  expect(await order()).toHaveLength(500)
})

test.each([
  ['aggregator', syncedHome],
  ['feed', feedHome],
])('rows of the %s get the values of the first rule that has them', async (_, createHome) => {
  const home = await createHome(booted)
  const { write } = rulesOf(home)
  const spendingId = await envelopeOf(home, 1_000n)
  const [first, second, third] = await write(
    { actions: { name: 'Lunch', tags: ['food'], spendingId } },
    { actions: { name: 'Other', notes: 'By rule', tags: ['FOOD', 'work'] } },
    { conditions: { direction: 'in' }, actions: { refundSpendingId: spendingId } },
  )
  const [lunch, tea, back] = await home.brings(
    aRow(),
    aRow({ originalName: 'TEA', displayName: 'TEA', name: 'TEA', amount: 300n }),
    aRow({ originalName: 'BACK', displayName: 'BACK', name: 'BACK', amount: -250n }),
  )
  const ruled = { name: 'Lunch', notes: 'By rule', tags: ['food', 'work'], spendingAmount: 1_000n }
  expect(await home.one(lunch?.transactionId)).toMatchObject({ ...ruled, spendingId })
  expect(await home.one(tea?.transactionId)).toMatchObject({ name: 'TEA', tags: [] })
  const refund = { refundSpendingId: spendingId, refundAmount: 250n }
  expect(await home.one(back?.transactionId)).toMatchObject(refund)
  const sources = { name: first, notes: second, tags: first, spendingId: first }
  expect(await provenance(home, lunch?.transactionId)).toEqual(sources)
  expect(await provenance(home, back?.transactionId)).toEqual({ spendingId: third })
  expect(await provenance(home, tea?.transactionId)).toEqual({})
})

test('a posted row is tidied again, but never a field that its user has set', async () => {
  const home = await syncedHome(booted)
  const { as, bankAccountId, transactions } = home
  const { write, client } = rulesOf(home)
  const [pendingRule = ''] = await write({
    actions: { name: 'Hold', notes: 'Hold', tags: ['hold'] },
  })
  const pending = aRow({ isPending: true, originalName: 'DELI HOLD' })
  const [one] = await home.brings(pending)
  const transactionId = one?.transactionId ?? ''
  const key = { bankAccountId, transactionId }
  // The user states the value of the rule, and clears another one.
  const edit = { ...key, name: 'Hold', ...paths('name', 'notes') }
  await transactions.updateTransaction(edit, as)
  expect(await provenance(home, transactionId)).toEqual({
    name: 'user',
    notes: 'user',
    tags: pendingRule,
  })
  await client.deleteRule({ ruleId: pendingRule }, as)
  const [postedRule] = await write({
    conditions: { originalName: { kind: 'startsWith', text: 'deli 0042' } },
    actions: { name: 'Lunch', merchantName: 'Delicatessen', notes: 'Lunch', tags: ['lunch'] },
  })
  const posted = aRow({ pendingProviderTransactionId: pending.providerTransactionId })
  const [same] = await home.brings(posted)
  expect(same?.transactionId).toBe(transactionId)
  const after = await home.one(transactionId)
  expect(after).toMatchObject({
    name: 'Hold',
    merchantName: 'Delicatessen',
    tags: ['hold', 'lunch'],
    isPending: false,
  })
  expect(after?.notes).toBeUndefined()
  const sources = { name: 'user', notes: 'user', merchantName: postedRule, tags: postedRule }
  expect(await provenance(home, transactionId)).toEqual(sources)
  // A repeated sync changes nothing: rules run once for a posted row.
  await transactions.updateTransaction({ ...key, tags: ['mine'], ...paths('tags') }, as)
  await home.brings(posted)
  expect(await home.one(transactionId)).toMatchObject({
    tags: ['mine'],
    merchantName: 'Delicatessen',
  })
})

test('rows of a file get texts and envelopes; the undo of the import returns all', async () => {
  const home = await createHousehold(booted, opening)
  const { as, bankAccountId, envelopes } = home
  const { write } = rulesOf(home)
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 2_500n }, as)
  const row = { originalName: { kind: 'pattern', text: 'row *' } }
  await write(
    { conditions: { ...row, amountFrom: 1_500n }, actions: { tags: ['big'] } },
    { conditions: row, actions: { name: 'Row', spendingId, refundSpendingId: spendingId } },
  )
  const before = await home.balances()
  const file = statementOf({ a: '-10.00', b: '-20.00', c: '5.00' })
  const { transactionUploadId, importedCount } = await importFile(home, file)
  expect(importedCount).toBe(3n)
  const rows = await listed(home)
  const shown = new Map(rows.map((one) => [one.amount, one]))
  expect(rows.map(({ name }) => name)).toEqual(['Row', 'Row', 'Row'])
  expect(shown.get(2_000n)).toMatchObject({ tags: ['big'], spendingId })
  const spent = [1_000n, 2_000n].map((amount) => shown.get(amount)?.spendingAmount ?? 0n)
  expect(spent[0]! + spent[1]!).toBe(2_500n)
  expect(shown.get(-500n)).toMatchObject({ refundSpendingId: spendingId, refundAmount: 500n })
  await importFile(home, file)
  expect(await listed(home)).toEqual(rows)
  await undo(home, transactionUploadId)
  expect(await home.balances()).toEqual(before)
})

test('a row of a file that gets an envelope is written once', async () => {
  const home = await createHousehold(booted, opening)
  const { bankAccountId, as, accountId, envelopes } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 4_050n }, as)
  const conditions = { originalName: { kind: 'startsWith', text: 'row' } }
  await rulesOf(home).write({ conditions, actions: { name: 'Row', spendingId } })
  const rows = Array.from({ length: 60 }, (_, index) => [`r${index}`, '-1.00'])
  await importFile(home, statementOf(Object.fromEntries(rows)))
  // Each command of a transaction has a number: an UPDATE would have another than the INSERT.
  const written = await booted.database('ledger').pool.any(sql.type(Written)`
    SELECT cmin::text AS command, count(*) AS rows, sum(spending_amount)::bigint AS amount
    FROM transactions WHERE account_id = ${accountId} AND spending_id IS NOT NULL GROUP BY cmin`)
  expect(written).toMatchObject([{ rows: 60n, amount: 4_050n }])
})

test('renaming a tag renames it in rules, and leaves tags of rules to them', async () => {
  const home = await feedHome(booted)
  const { client, write } = rulesOf(home)
  const tags = booted.client('ledger', TagService)
  const [ruleId] = await write({ actions: { name: 'Lunch', tags: ['Food', 'x'] } })
  const [one] = await home.brings(aRow())
  const updatedAt = async () => (await client.listRules({}, home.as)).rules[0]?.updatedAt
  const before = await updatedAt()
  for (const repeated of [1, 0]) {
    const { changedCount } = await tags.renameTags({ tags: ['food'], name: 'Meals' }, home.as)
    expect(changedCount).toBe(repeated)
  }
  expect(await updatedAt()).not.toEqual(before)
  expect(await provenance(home, one?.transactionId)).toEqual({ name: ruleId, tags: ruleId })
  const [two] = await home.brings(aRow())
  for (const row of [one, two]) {
    expect(await home.one(row?.transactionId)).toMatchObject({ tags: ['Meals', 'x'] })
  }
  await tags.renameTags({ tags: ['meals', 'X'] }, home.as)
  const { rules } = await client.listRules({}, home.as)
  expect(rules).toMatchObject([{ actions: { name: 'Lunch', tags: [] } }])
})

test('a closed envelope, and one of another bank account, leave a row unassigned', async () => {
  const home = await syncedHome(booted)
  const { as, bankAccountId, envelopes } = home
  const { write } = rulesOf(home)
  const closed = await envelopeOf(home, 100n)
  const other = await createHousehold(booted, { accountId: home.accountId })
  const foreign = newId('spnd')
  const opened = { bankAccountId: other.bankAccountId, spendingId: foreign, spendingType: 'goal' }
  await envelopes.openEnvelope(opened, as)
  const tea = { originalName: { kind: 'equals', text: 'tea' } }
  await write(
    { actions: { spendingId: closed, name: 'Lunch' } },
    { conditions: tea, actions: { spendingId: foreign } },
  )
  await envelopes.closeEnvelope({ bankAccountId, spendingId: closed }, as)
  const [lunch, drink] = await home.brings(aRow(), aRow({ originalName: 'TEA', name: 'TEA' }))
  expect(await home.one(lunch?.transactionId)).toMatchObject({ name: 'Lunch' })
  for (const one of [lunch, drink]) {
    expect((await home.one(one?.transactionId))?.spendingId).toBeUndefined()
  }
})

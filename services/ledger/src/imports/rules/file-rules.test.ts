import { create } from '@bufbuild/protobuf'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import {
  aBankAccount,
  anEnvelope,
  anOperation,
  aTransaction,
} from '../../../test/imports/samples.ts'
import { compileRules } from '../../rules/rule.ts'
import {
  assignRows,
  keepInserted,
  listDiffering,
  orderRows,
  reassignRows,
  scopeOfRows,
  scopeOfRules,
  startFileRules,
  tidyRows,
} from './file-rules.ts'

const spendingId = 'spnd_1'
const actions = create(RuleActionsSchema, { name: 'Row', spendingId, refundSpendingId: spendingId })
const conditions = create(RuleConditionsSchema, { source: 'upload' })
const rules = compileRules([{ ruleId: 'rule_1', conditions, actions }], 'UTC')

/** Returns a bank account whose only envelope holds an amount, or is closed. */
function holding(currentAmount: bigint | null) {
  const closedAt = currentAmount === null ? new Date() : null
  const envelope = anEnvelope({ spendingId, currentAmount: currentAmount ?? 0n, closedAt })
  const refundable = new Map([[spendingId, 0n]])
  const money = { bankAccount: aBankAccount(), envelopes: [envelope], refundable }
  return { ...money, operation: anOperation() }
}

function rowsOf(...amounts: bigint[]) {
  return amounts.map((amount, index) => {
    const date = new Date(Date.UTC(2026, 0, 9 - index))
    return aTransaction({ transactionId: `txn_${index}`, amount, date, source: 'upload' })
  })
}

test.each<[string, bigint | null, Record<string, bigint | null>]>([
  ['has as much as before: those of another order', 25n, { txn_0: 4n, txn_1: 5n, txn_2: 20n }],
  ['has enough for all: the refund alone', 99n, { txn_0: 4n }],
  ['is closed: all', null, { txn_0: null, txn_1: null, txn_2: null }],
])(
  'the save of a file updates what gets another amount. An envelope that %s',
  (_, held, differing) => {
    const fileRules = startFileRules(rules, holding(held === null ? 25n : held))
    // Inserted from the newest to the oldest, with a refund before the payments that it gives back.
    const [refund, first, second] = tidyRows(fileRules, rowsOf(-4n, 20n, 20n))
    if (held === 25n) expect([first, second].map((one) => one?.spendingAmount)).toEqual([20n, 5n])
    expect(refund).toMatchObject({ name: 'Row', refundAmount: 0n })
    expect(scopeOfRows(fileRules)).toEqual({ spendingIds: [spendingId], refundIds: [spendingId] })
    const assigned = assignRows(holding(held), null, orderRows(fileRules))
    const { settlement, differing: others } = assigned
    const amounts = others.map(({ row, given }) => [row.transactionId, given])
    expect(Object.fromEntries(amounts)).toEqual(differing)
    expect(() => reassignRows([], others)).toThrow('of the file was not read')
    const ids = listDiffering(holding(held), orderRows(fileRules))
    expect(new Set(ids)).toEqual(new Set(Object.keys(differing)))
    const moved = settlement.entries.filter(({ pot }) => pot === 'envelope')
    expect(moved.length > 0).toBe(held !== null)
  },
)

test('rows that were stored before take nothing', () => {
  const fileRules = startFileRules(rules, holding(10n))
  const rows = tidyRows(fileRules, rowsOf(4n, 3n))
  keepInserted(fileRules, rows, ['txn_1'])
  const { differing, settlement } = assignRows(holding(10n), null, orderRows(fileRules))
  expect(differing).toEqual([])
  expect(settlement.envelopes[0]?.currentAmount).toBe(7n)
  expect(scopeOfRules(rules, { hasDeposit: false })).toEqual({
    spendingIds: [spendingId],
    refundIds: [],
  })
  expect(tidyRows(startFileRules(rules, null), rowsOf(4n))[0]?.spendingId).toBeNull()
})

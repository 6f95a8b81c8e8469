import { create } from '@bufbuild/protobuf'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { JournalEntry } from '../../src/book/journal.ts'
import {
  assignRows,
  orderRows,
  reassignRows,
  startFileRules,
  tidyRows,
} from '../../src/imports/rules/file-rules.ts'
import { settleUndo } from '../../src/imports/settling/upload-undo.ts'
import { totalOf } from '../../src/money/settlements.ts'
import { compileRules } from '../../src/rules/rule.ts'
import { assignByRule, startSettling } from '../../src/rules/rule-effects.ts'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../imports/samples.ts'
import { importFile, opening, statementOf, undo } from '../imports/uploading.ts'
import { rulingOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const ids = ['spnd_a', 'spnd_b'] as const
const small = fc.bigInt({ min: 0n, max: 30n })
const dayOf = (day: number) => new Date(Date.UTC(2026, 0, day))

const envelopes = fc.tuple(
  ...ids.map((spendingId) =>
    fc
      .record({
        spendingType: fc.constantFrom('expense' as const, 'goal' as const),
        currentAmount: fc.bigInt({ min: 0n, max: 90n }),
        usedAmount: small,
        periodSpent: fc.bigInt({ min: -3n, max: 20n }),
        on: fc.option(fc.nat(20)),
        isClosed: fc.constantFrom(false, false, false, true),
        hasGrace: fc.constantFrom(false, false, false, true),
        from: fc.constantFrom(null, null, 7),
      })
      .map(({ on, isClosed, hasGrace, from, ...of }) => {
        const periodFrom = from && dayOf(from)
        const periodSpentOn = on !== null && of.periodSpent > 0n ? dayOf(on) : null
        const closedAt = isClosed ? new Date() : null
        const grace = { graceUntil: hasGrace ? dayOf(9) : null, graceUnspent: hasGrace ? 5n : 0n }
        return anEnvelope({ spendingId, ...of, periodFrom, periodSpentOn, closedAt, ...grace })
      }),
  ),
)
const rows = fc.array(
  fc.record({
    amount: fc.bigInt({ min: -20n, max: 30n }),
    day: fc.nat(20),
    spendingId: fc.constantFrom(...ids),
  }),
  { minLength: 1, maxLength: 12 },
)

const rules = compileRules(
  ids.map((spendingId) => ({
    ruleId: spendingId,
    conditions: create(RuleConditionsSchema, {
      originalName: { kind: 'equals', text: spendingId },
    }),
    actions: create(RuleActionsSchema, { spendingId, refundSpendingId: spendingId }),
  })),
  'UTC',
)

/** Returns the sums of journal rows by envelope, pot and cause, and the last amount of each pot. */
function summed(entries: readonly JournalEntry[]) {
  const [sums, last] = [new Map<string, bigint>(), new Map<string, bigint>()]
  for (const { spendingId, pot, cause, delta, amount } of entries) {
    const key = `${spendingId} ${pot} ${cause}`
    sums.set(key, (sums.get(key) ?? 0n) + delta)
    last.set(`${spendingId} ${pot}`, amount)
  }
  return { sums: new Map([...sums].filter(([, delta]) => delta !== 0n)), last }
}

// The unspent part of the closed period (null without a grace), refunds of earlier periods,
// a payment and a refund after it, in minor units.
test.each([
  [0n, 0n, 100n, 60n],
  [30n, 0n, 100n, 60n],
  [30n, 0n, 100n, 90n],
  [500n, 0n, 100n, 60n],
  [30n, 0n, 0n, 60n],
  [null, 0n, 100n, 60n],
  [null, 10n, 100n, 60n],
  [null, 10n, 20n, 60n],
])('an undo restores a grace of %s and refunds of %s after a payment of %s and %s', (...of) => {
  const [unspent, periodRefunded, payment, refund] = of
  const spendingId = ids[0]
  const graceUntil = unspent === null ? null : dayOf(9)
  const grace = { graceUntil, graceUnspent: unspent ?? 0n, periodRefunded }
  const before = anEnvelope({ spendingId, currentAmount: 900n, ...grace })
  const locked = { bankAccount: aBankAccount(), operation: anOperation(), envelopes: [before] }
  const refundable = new Map([[spendingId, 900n]])
  const rows = [payment, -refund].map((amount, index) => ({
    ...aTransaction({ transactionId: `txn_${index}`, amount, date: dayOf(2) }),
    envelope: { ruleId: 'rule', spendingId, isRefund: amount < 0n },
    given: null,
  }))
  const { settlement } = assignRows({ ...locked, refundable }, null, {
    payments: rows.slice(0, 1),
    refunds: rows.slice(1),
  })
  const after = { ...locked, ...settlement, operation: anOperation() }
  const given = [{ spendingId, date: dayOf(2), given: payment, refunded: refund }]
  const balances = { available: 0n, current: 0n, limit: 0n, asOf: null }
  const restated = { delta: 0n, causeId: '' }
  const undone = settleUndo(after, { causeId: 'txup', given, balances, restated })
  const version = undone.envelopes[0]?.version
  expect(undone.envelopes).toEqual([{ ...before, version }])
})

test('the rows of a file are assigned by one operation as they are one by one', () => {
  fc.assert(
    fc.property(envelopes, rows, small, (open, list, taken) => {
      const refundable = new Map(ids.map((id) => [id, taken]))
      const of = { bankAccount: aBankAccount(), operation: anOperation(), refundable }
      const locked = { ...of, envelopes: open }
      const transactions = list.map(({ amount, day, spendingId }, index) =>
        aTransaction({
          transactionId: `txn_${index}`,
          originalName: spendingId,
          source: 'upload',
          amount,
          date: dayOf(day),
        }),
      )
      const fileRules = startFileRules(rules, locked)
      const inserted = new Map(
        tidyRows(fileRules, transactions).map((one) => [one.transactionId, one]),
      )
      const ordered = orderRows(fileRules)
      const { settlement, differing } = assignRows(locked, null, ordered)
      for (const one of reassignRows([...inserted.values()], differing)) {
        inserted.set(one.transactionId, one)
      }
      const settling = startSettling(locked)
      const plain = new Map(transactions.map((one) => [one.transactionId, one]))
      for (const { transactionId, envelope } of [...ordered.payments, ...ordered.refunds]) {
        const alone = assignByRule(settling, plain.get(transactionId)!, envelope)
        expect(inserted.get(transactionId)).toEqual(alone)
      }
      const oneByOne = totalOf(settling.settlements)
      const { entries } = settlement
      expect({ ...settlement, ...summed(entries) }).toMatchObject({
        bankAccount: { ...oneByOne.bankAccount, version: of.operation.version },
        ...summed(oneByOne.entries),
      })
      expect(new Set(settlement.envelopes)).toEqual(new Set(oneByOne.envelopes))
      const keys = entries.map(({ spendingId, pot, cause }) => `${spendingId} ${pot} ${cause}`)
      expect(new Set(keys).size).toBe(keys.length)
    }),
    { numRuns: 500 },
  )
})

test('the journal has one row of each envelope and cause, which names the file', async () => {
  const home = await createHousehold(booted, opening)
  const { as, bankAccountId, envelopes } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 2_500n }, as)
  const conditions = { originalName: { kind: 'startsWith', text: 'row' } }
  const actions = { spendingId, refundSpendingId: spendingId }
  await rulingOf(booted)(home).write({ conditions, actions })
  const file = statementOf({ a: '-10.00', b: '-20.00', c: '5.00', d: '3.00' })
  const { transactionUploadId } = await importFile(home, file)
  const history = booted.client('ledger', HistoryService)
  const list = async () => {
    const { entries } = await history.listHistory({ bankAccountId, spendingId, limit: 9 }, as)
    return entries.map(({ cause, causeId, upload, pot, delta, amount }) => {
      const isOfFile = causeId === transactionUploadId && upload?.fileName === 'export.ofx'
      return [pot, cause, delta, amount, isOfFile]
    })
  }
  const imported = [
    ['used', 'refund', -800n, 1_700n, true],
    ['envelope', 'refund', 800n, 800n, true],
    ['used', 'transaction', 2_500n, 2_500n, true],
    ['envelope', 'transaction', -2_500n, 0n, true],
    ['envelope', 'transfer', 2_500n, 2_500n, false],
  ]
  expect(await list()).toEqual(imported)
  await undo(home, transactionUploadId)
  expect(await list()).toEqual([
    ['used', 'undo', -1_700n, 0n, true],
    ['envelope', 'undo', 1_700n, 2_500n, true],
    ...imported,
  ])
})

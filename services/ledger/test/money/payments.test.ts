import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canPayInFull, settlePayments } from '../../src/money/payments.ts'
import { totalOf } from '../../src/money/settlements.ts'
import { assignByRule, startSettling } from '../../src/rules/rule-effects.ts'
import { aBankAccount, anEnvelope, anOperation, aTransaction } from '../imports/samples.ts'

const ids = ['spnd_a', 'spnd_b'] as const
const small = fc.bigInt({ min: 0n, max: 30n })
const dayOf = (day: number) => new Date(Date.UTC(2026, 0, day))

const envelopes = fc.tuple(
  ...ids.map((spendingId) =>
    fc
      .record({
        spendingType: fc.constantFrom('expense' as const, 'goal' as const),
        currentAmount: fc.bigInt({ min: 0n, max: 200n }),
        usedAmount: small,
        periodSpent: fc.bigInt({ min: -3n, max: 20n }),
        on: fc.option(fc.nat(20)),
        isClosed: fc.constantFrom(false, false, false, true),
        hasGrace: fc.constantFrom(false, false, false, true),
      })
      .map(({ on, isClosed, hasGrace, ...of }) => {
        const periodSpentOn = on !== null && of.periodSpent > 0n ? dayOf(on) : null
        const closedAt = isClosed ? new Date() : null
        const grace = { graceUntil: hasGrace ? dayOf(9) : null, graceUnspent: hasGrace ? 5n : 0n }
        return anEnvelope({ spendingId, ...of, periodSpentOn, closedAt, ...grace })
      }),
  ),
)
const rows = fc.array(
  fc.record({ amount: small, day: fc.nat(20), spendingId: fc.constantFrom(...ids) }),
  { minLength: 1, maxLength: 12 },
)

test('payments in full settle at once as they do one by one, or not at all', () => {
  fc.assert(
    fc.property(envelopes, rows, (open, list) => {
      const locked = { bankAccount: aBankAccount(), envelopes: open, operation: anOperation() }
      const transactions = list.map(({ amount, day }, index) =>
        aTransaction({ transactionId: `txn_${index}`, amount, date: dayOf(day) }),
      )
      const settling = startSettling(locked)
      const payments = transactions.map((of, index) => {
        const spendingId = list[index]?.spendingId ?? ''
        return { operationId: `${locked.operation.operationId}/rule/txn_${index}`, spendingId, of }
      })
      const paid = transactions.map((of, index) =>
        assignByRule(settling, of, { ruleId: 'rule', spendingId: list[index]?.spendingId ?? '' }),
      )
      if (!canPayInFull(open, payments)) return
      expect(paid.map(({ spendingAmount }) => spendingAmount)).toEqual(
        transactions.map(({ amount }) => amount),
      )
      const { bankAccount, envelopes: changed, entries } = totalOf(settling.settlements)
      const settled = settlePayments(locked, payments)
      expect(settled).toMatchObject({ bankAccount, entries })
      const byId = (all: typeof changed) => new Map(all.map((one) => [one.spendingId, one]))
      expect(byId(settled.envelopes)).toEqual(byId(changed))
    }),
    { numRuns: 500 },
  )
})

import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation } from '../../test/imports/samples.ts'
import { applyFunding, type FundingLine } from './funding.ts'

const LOCKED = {
  bankAccount: aBankAccount({ availableBalance: 1000n, expenses: 900n, goals: 100n }),
  envelopes: [
    anEnvelope({ spendingId: 'spnd_e', currentAmount: 900n }),
    anEnvelope({
      spendingId: 'spnd_g',
      spendingType: 'goal',
      currentAmount: 100n,
      usedAmount: 300n,
    }),
    anEnvelope({ spendingId: 'spnd_closed', closedAt: new Date('2026-01-20T00:00:00Z') }),
  ],
  operation: anOperation('run_1'),
}

function run(...lines: FundingLine[]) {
  return applyFunding(LOCKED, { fundingScheduleId: 'fund_1', lines, deposit: null }).settlement
}

describe('a funding run', () => {
  test.each([
    { spendingId: 'spnd_e', amount: 50n, ceiling: 1000n, holds: 950n },
    // `ceiling` is the target: only 100 of `amount` are moved, because the envelope holds 900.
    { spendingId: 'spnd_e', amount: 500n, ceiling: 1000n, holds: 1000n },
    { spendingId: 'spnd_e', amount: 500n, ceiling: 800n, holds: 900n },
    { spendingId: 'spnd_e', amount: -5n, ceiling: 1000n, holds: 900n },
    // The goal holds 100 and has used 300: 600 are missing to the ceiling of 1000.
    { spendingId: 'spnd_g', amount: 600n, ceiling: 1000n, holds: 700n },
    { spendingId: 'spnd_g', amount: 900n, ceiling: 1000n, holds: 700n },
  ])('gives $spendingId $amount up to $ceiling', ({ holds, ...line }) => {
    const { envelopes, bankAccount } = run(line)
    expect(envelopes).toMatchObject([{ currentAmount: holds, periodSpent: 0n, version: 2n }])
    expect(bankAccount.availableBalance).toBe(1000n)
  })

  test('books every line under the run and the schedule, and skips closed envelopes', () => {
    const { entries, bankAccount, envelopes } = run(
      { spendingId: 'spnd_g', amount: 10n, ceiling: 1000n },
      { spendingId: 'spnd_closed', amount: 10n, ceiling: 1000n },
      { spendingId: 'spnd_x', amount: 10n, ceiling: 1000n },
      { spendingId: 'spnd_e', amount: 20n, ceiling: 1000n },
    )
    expect(envelopes.map((one) => one.spendingId)).toEqual(['spnd_g', 'spnd_e'])
    expect(bankAccount).toMatchObject({ expenses: 920n, goals: 110n })
    const common = { operationId: 'run_1', cause: 'funding', causeId: 'fund_1', pot: 'envelope' }
    expect(entries).toMatchObject([
      { ...common, spendingId: 'spnd_g', delta: 10n, amount: 110n },
      { ...common, spendingId: 'spnd_e', delta: 20n, amount: 920n },
    ])
  })

  test('books its deposit on both balances', () => {
    const date = new Date('2026-01-31T06:00:00Z')
    const deposit = { transactionId: 'txn_d', name: 'Pay', amount: -200000n, date }
    const { settlement, transaction } = applyFunding(LOCKED, {
      fundingScheduleId: 'fund_1',
      lines: [],
      deposit,
    })
    expect(settlement.bankAccount).toMatchObject({
      availableBalance: 201000n,
      currentBalance: 200000n,
    })
    expect(transaction).toMatchObject({
      ...deposit,
      originalName: 'Pay',
      createdByFundingScheduleId: 'fund_1',
      createdBySpendingId: null,
      spendingId: null,
      spendingAmount: null,
      source: 'manual',
      isPending: false,
    })
  })
})

import { describe, expect, test } from '@jest/globals'
import { aBankAccount } from '../../test/imports/samples.ts'
import { balancesOf, requireManual, requireWritable } from './bank-account.ts'

const NOW = new Date('2026-02-01T12:00:00Z')

describe('balances', () => {
  test('free is what is available and not set aside', () => {
    // The example of docs/money.md#balances: expenses hold 25000 minor units in total, goals 30000.
    const account = aBankAccount({
      availableBalance: 100000n,
      currentBalance: 102500n,
      expenses: 25000n,
      goals: 30000n,
    })
    expect(balancesOf(account)).toEqual({
      bankAccountId: 'bac_1',
      currency: 'USD',
      current: 102500n,
      available: 100000n,
      limit: 0n,
      free: 45000n,
      expenses: 25000n,
      goals: 30000n,
      isCredit: false,
    })
  })

  test.each([
    { available: 0n, expenses: 0n, goals: 0n, free: 0n },
    { available: 1000n, expenses: 700n, goals: 900n, free: -600n },
    { available: -2500n, expenses: 100n, goals: 0n, free: -2600n },
  ])('free of $available less $expenses less $goals is $free', (row) => {
    const { available, expenses, goals } = row
    const account = aBankAccount({ availableBalance: available, expenses, goals })
    expect(balancesOf(account).free).toBe(row.free)
  })
})

describe('guards', () => {
  test('an archived account refuses writes, one of a deleted link is not there', () => {
    expect(() => requireWritable(aBankAccount())).not.toThrow()
    expect(() => requireWritable(aBankAccount({ deletedAt: NOW }))).toThrow('archived')
    expect(() => requireWritable(aBankAccount({ removedAt: NOW }))).toThrow('does not exist')
  })

  test('only a manual link allows manual changes', () => {
    expect(() => requireManual(aBankAccount())).not.toThrow()
    expect(() => requireManual(aBankAccount({ linkType: 'feed' }))).toThrow('manual link')
  })
})

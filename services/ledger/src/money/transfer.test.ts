import { problemsOf } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { aBankAccount, anEnvelope, anOperation } from '../../test/imports/samples.ts'
import { balancesOf } from '../book/bank-account.ts'
import { endOperation, startOperation } from './operation.ts'
import { transfer } from './transfer.ts'

const STATE = {
  bankAccount: aBankAccount({ availableBalance: 1000n, expenses: 300n, goals: 500n }),
  envelopes: [
    anEnvelope({ spendingId: 'spnd_e', currentAmount: 300n }),
    anEnvelope({
      spendingId: 'spnd_g',
      spendingType: 'goal',
      currentAmount: 500n,
      usedAmount: 40n,
    }),
    anEnvelope({ spendingId: 'spnd_closed', closedAt: new Date('2026-01-20T00:00:00Z') }),
  ],
  operation: anOperation(),
}

function move(fromSpendingId: string | null, toSpendingId: string | null, amount: bigint) {
  const started = startOperation(STATE)
  transfer(started, { fromSpendingId, toSpendingId, amount, causeId: 'xfer_1' })
  return endOperation(started)
}

describe('a transfer', () => {
  // At the start, 1000 are available, the expense holds 300 and the goal 500: 200 are free to use.
  test.each([
    { from: null, to: 'spnd_e', amount: 150n, e: 450n, g: 500n, free: 50n },
    { from: null, to: 'spnd_g', amount: 900n, e: 300n, g: 1400n, free: -700n },
    { from: 'spnd_e', to: null, amount: 300n, e: 0n, g: 500n, free: 500n },
    { from: 'spnd_e', to: 'spnd_g', amount: 1n, e: 299n, g: 501n, free: 200n },
    { from: 'spnd_g', to: 'spnd_e', amount: 500n, e: 800n, g: 0n, free: 200n },
  ])('of $amount from $from to $to', ({ from, to, amount, e, g, free }) => {
    const { bankAccount, envelopes, entries } = move(from, to, amount)
    expect(balancesOf(bankAccount)).toMatchObject({ available: 1000n, expenses: e, goals: g, free })
    expect(envelopes.map((one) => one.spendingId)).toEqual([from, to].filter((id) => id !== null))
    expect(entries.map((entry) => entry.cause)).toEqual(envelopes.map(() => 'transfer'))
  })

  test('never changes what a goal has used', () => {
    const [goal] = move('spnd_g', null, 500n).envelopes
    expect(goal).toMatchObject({ currentAmount: 0n, usedAmount: 40n, version: 2n })
  })

  test.each([
    { from: null, to: null, amount: 5n, field: 'fromSpendingId' },
    { from: 'spnd_e', to: 'spnd_e', amount: 5n, field: 'toSpendingId' },
    { from: 'spnd_e', to: null, amount: 301n, field: 'amount' },
    { from: 'spnd_e', to: 'spnd_g', amount: 0n, field: 'amount' },
    { from: 'spnd_e', to: 'spnd_g', amount: -5n, field: 'amount' },
    { from: null, to: 'spnd_e', amount: 9007199254740991n, field: 'amount' },
  ])('of $amount from $from to $to is refused', ({ from, to, amount, field }) => {
    expect.assertions(1)
    try {
      move(from, to, amount)
    } catch (error) {
      expect(problemsOf(error as ConnectError)).toHaveProperty([field])
    }
  })

  test.each(['spnd_x', 'spnd_closed'])('with %s finds no such envelope', (missing) => {
    expect(() => move(missing, null, 1n)).toThrow('spending: record does not exist')
    expect(() => move(null, missing, 1n)).toThrow('spending: record does not exist')
  })
})

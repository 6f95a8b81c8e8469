import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const balance = { availableBalance: 100_000n, currentBalance: 100_000n }

export type FundedHousehold = Awaited<ReturnType<typeof createFundedHousehold>>

/** Creates a bank account with 100,000 minor units available, and an expense without money. */
export async function createExpenseHousehold(
  booted: Booted,
  owner: { accountId?: string; timezone?: string } = {},
) {
  const home = await createHousehold(booted, { ...owner, ...balance })
  const { envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  return { ...home, spendingId }
}

/**
 * Creates a bank account with 100,000 minor units available, of which an expense holds 30,000 and a
 * goal holds 40,000.
 */
export async function createFundedHousehold(booted: Booted, accountId = newId('acct')) {
  const { spendingId: expense, ...home } = await createExpenseHousehold(booted, {
    accountId,
    timezone: 'UTC',
  })
  const { envelopes, bankAccountId, as } = home
  const goal = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: expense, amount: 30_000n }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: goal, amount: 40_000n }, as)
  return { ...home, expense, goal }
}

/** Pays 100 minor units from the expense of each household, all concurrently. Never rejects. */
export async function payTogether(households: readonly FundedHousehold[]) {
  return Promise.allSettled(
    households.map(({ as, bankAccountId, expense, transactions }) =>
      transactions.createTransaction(
        {
          bankAccountId,
          amount: 100n,
          date,
          name: 'Tea',
          spendingId: expense,
          adjustsBalance: true,
        },
        { ...as, timeoutMs: 2_000 },
      ),
    ),
  )
}

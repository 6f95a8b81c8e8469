import { type Amounts, type AsOf, withAmounts, withContribution } from './plan.ts'
import type { FundedSpending, Spending } from './spending.ts'
import type { Decision, Work } from './unit-of-work.ts'

/** A plan whose envelope is there, and what the ledger says of that. */
interface Opening {
  plan: Pick<Spending, 'accountId' | 'bankAccountId' | 'spendingId'>
  asOf: AsOf
  amounts: Amounts | null
}

/**
 * Opens a plan, with the contribution as of now: its schedule may have fired or changed since the
 * plan was reserved. Replies null when the plan is gone.
 */
export function opening<Reply>(
  { plan: { accountId, bankAccountId, spendingId }, asOf, amounts }: Opening,
  answer: (opened: FundedSpending) => Pick<Decision<Reply>, 'reply' | 'replies'>,
): Work<Reply | null> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => {
      const reserved = plans.find((one) => one.spendingId === spendingId)
      if (!reserved) return { reply: null }
      const opened = { ...withContributionOnceChanged(reserved, asOf), state: 'open' as const }
      const plan = amounts ? withAmounts(opened, amounts, asOf) : opened
      return { ...answer(plan), plans: [plan] }
    },
  }
}

/** The plan as it is where its contribution has not changed: that is as of when it was reserved. */
function withContributionOnceChanged(plan: FundedSpending, asOf: AsOf): FundedSpending {
  const after = withContribution(plan, asOf)
  const isSame =
    after.nextContributionAmount === plan.nextContributionAmount && after.isBehind === plan.isBehind
  return isSame ? plan : after
}

/** Removes a plan that is not open, unless another attempt has taken it up meanwhile. */
export function withdrawal(
  reserved: Pick<Spending, 'accountId' | 'bankAccountId' | 'spendingId' | 'openingAttempts'>,
): Work<void> {
  const { accountId, bankAccountId, spendingId, openingAttempts } = reserved
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => ({
      reply: undefined,
      deletedPlans: plans.filter((plan) => {
        const isSame = plan.spendingId === spendingId && plan.openingAttempts === openingAttempts
        return isSame && plan.state === 'opening'
      }),
    }),
  }
}

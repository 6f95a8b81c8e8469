import { type Amounts, type AsOf, withAmounts, withContribution } from './plan.ts'
import type { FundedSpending, Spending } from './spending.ts'
import type { Decision, Work } from './unit-of-work.ts'

/** A plan and the amounts of its envelope; null where the ledger has not answered them. */
interface Completion {
  plan: Pick<Spending, 'accountId' | 'bankAccountId' | 'spendingId'>
  asOf: AsOf
  amounts: Amounts | null
}

/**
 * Returns the work that sets a plan to `open`, the last step of its creation. It recalculates the
 * contribution, since the schedule may have fired after the plan was stored. The work replies
 * null when the plan is deleted.
 */
export function completeCreation<Reply>(
  { plan: { accountId, bankAccountId, spendingId }, asOf, amounts }: Completion,
  answer: (created: FundedSpending) => Pick<Decision<Reply>, 'reply' | 'replies'>,
): Work<Reply | null> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => {
      const reserved = plans.find((one) => one.spendingId === spendingId)
      if (!reserved) return { reply: null }
      const created = { ...recalculateIfChanged(reserved, asOf), state: 'open' as const }
      const plan = amounts ? withAmounts(created, amounts, asOf) : created
      return { ...answer(plan), plans: [plan] }
    },
  }
}

/** Keeps `calculatedAt` where the contribution is still the same. */
function recalculateIfChanged(plan: FundedSpending, asOf: AsOf): FundedSpending {
  const after = withContribution(plan, asOf)
  const isSame =
    after.nextContributionAmount === plan.nextContributionAmount && after.isBehind === plan.isBehind
  return isSame ? plan : after
}

/**
 * Returns the work that deletes a plan in state `opening`. A later attempt of the same request
 * raises `openingAttempts`; then the work deletes nothing.
 */
export function withdrawCreation(
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

import type { PlanKey } from './spending.ts'
import type { Work } from './unit-of-work.ts'

/** Deletes a plan whose envelope is closed; it may be gone already. */
export function deletionOf({ accountId, bankAccountId, spendingId }: PlanKey): Work<void> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => ({
      reply: undefined,
      deletedPlans: plans.filter((plan) => plan.spendingId === spendingId),
    }),
  }
}

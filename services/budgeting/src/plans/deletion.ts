import type { PlanKey } from './spending.ts'
import type { Work } from './unit-of-work.ts'

/** Returns the work that deletes a plan after its envelope is closed. Idempotent. */
export function deletePlan({ accountId, bankAccountId, spendingId }: PlanKey): Work<void> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => ({
      reply: undefined,
      deletedPlans: plans.filter((plan) => plan.spendingId === spendingId),
    }),
  }
}

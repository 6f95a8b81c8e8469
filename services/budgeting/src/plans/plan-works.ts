import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import type { FundedSpending, PlanKey, Spending } from '../book/spending.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { type Amounts, withAmounts, withContribution } from './plan.ts'
import type { Decision, Work } from './unit-of-work.ts'

/** Returns the `Work` that decides on one plan; `decide` gets undefined if the plan is deleted. */
export function onPlan<Reply>(
  { accountId, bankAccountId, spendingId }: PlanKey,
  decide: (plan: FundedSpending | undefined) => Decision<Reply>,
): Work<Reply> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => decide(plans.find((one) => one.spendingId === spendingId)),
  }
}

/** The plan to complete, and the amounts of its envelope; undefined if they were not read. */
interface Completion {
  plan: PlanKey
  asOf: AsOf
  amounts: Amounts | undefined
}

/**
 * Returns the `Work` that completes a creation: sets the plan to `open`, and recalculates the
 * contribution, since the schedule may have fired after the plan was stored. The reply is null if
 * the plan is deleted.
 */
export function completeCreation<Reply>(
  { plan: key, asOf, amounts }: Completion,
  answer: (created: FundedSpending) => Pick<Decision<Reply>, 'reply' | 'replies'>,
): Work<Reply | null> {
  const work = onPlan<Reply | null>(key, (reserved) => {
    if (!reserved) return { reply: null }
    const plan = openPlan(reserved, amounts, asOf)
    return { ...answer(plan), plans: [plan] }
  })
  return { ...work, timezone: asOf.timezone }
}

/** Returns the plan in state `open`, with its contribution and the amounts of its envelope. */
export function openPlan(
  reserved: FundedSpending,
  amounts: Amounts | undefined,
  asOf: AsOf,
): FundedSpending {
  const created = { ...recalculateIfChanged(reserved, asOf), state: 'open' as const }
  return withAmounts(created, amounts, asOf)
}

/** Recalculates the contribution. An equal contribution keeps its `calculatedAt`. */
function recalculateIfChanged(plan: FundedSpending, asOf: AsOf): FundedSpending {
  const after = withContribution(plan, asOf)
  const isSame =
    after.nextContributionAmount === plan.nextContributionAmount && after.isBehind === plan.isBehind
  return isSame ? plan : after
}

/**
 * Returns the `Work` that deletes an `opening` plan, unless a later attempt of the request has
 * raised its `openingAttempts`.
 */
export function withdrawCreation(
  reserved: PlanKey & Pick<Spending, 'openingAttempts'>,
): Work<void> {
  return onPlan(reserved, (plan) => {
    const isSame = plan?.openingAttempts === reserved.openingAttempts
    return { reply: undefined, deletedPlans: isSame && plan.state === 'opening' ? [plan] : [] }
  })
}

/**
 * Time in ms after which the mark of `beginClosing` expires. It is longer than the deadline of any
 * request, so the request that set the mark has ended by then.
 */
const closingMs = 60_000

/**
 * Returns the `Work` that marks a plan for deletion and returns its name; `check` may refuse.
 * Changes of the plan are then refused until its envelope is closed, or `closingMs` have passed.
 * Throws notFound.
 */
export function beginClosing(
  key: PlanKey,
  { now, check }: { now: Date; check: (plan: FundedSpending) => void },
): Work<string> {
  return onPlan(key, (plan) => {
    if (!plan) throw notFound('spending')
    check(plan)
    const closingUntil = new Date(now.getTime() + closingMs)
    return { reply: plan.name, plans: [{ ...plan, closingUntil }] }
  })
}

/** Throws refused (409) while a request closes the envelope of the plan. */
export function requireNotClosing({ closingUntil, spendingType }: Spending, now: Date): void {
  if (closingUntil === null || closingUntil <= now) return
  const text = say('BEING_DELETED', { spendingType })
  throw refused(text, { status: 409 })
}

/** Returns the `Work` that deletes a plan after its envelope is closed. Idempotent. */
export function deletePlan(key: PlanKey): Work<void> {
  return onPlan(key, (plan) => ({ reply: undefined, deletedPlans: plan ? [plan] : [] }))
}

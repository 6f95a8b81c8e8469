import { dayMs } from '@coffer/kit/values/time'
import { endedStatuses, isPaidUp, paidStatuses, type Subscription } from '../book/subscription.ts'

/** The state of a subscription in the answer of `GET /users/me`. */
export interface SubscriptionState {
  isActive: boolean
  isTrialing: boolean
  hasSubscription: boolean
  activeUntil: Date | null
  trialingUntil: Date | null
}

// Grace period: payments may arrive late (docs/billing.md#subscription-states).
const graceMs = 4 * dayMs

// Statuses of subscriptions that customers can manage in Stripe's portal.
const ownedStatuses = ['active', 'past_due', 'incomplete', 'unpaid']

// Without billing every account is paid up (docs/billing.md).
const unbilled: SubscriptionState = {
  isActive: true,
  isTrialing: false,
  hasSubscription: false,
  activeUntil: null,
  trialingUntil: null,
}

/** Returns the subscription's state for clients (docs/billing.md#subscription-states). */
export function subscriptionStateOf(
  subscription: Subscription,
  now: Date,
  { billed }: { billed: boolean },
): SubscriptionState {
  if (!billed) return unbilled
  const { subscriptionId, subscriptionStatus, trialEndsAt, subscriptionActiveUntil } = subscription
  const hasSubscription = subscriptionId !== null && ownedStatuses.includes(`${subscriptionStatus}`)
  return {
    isActive: isPaidUp(subscription, now, { billed }),
    isTrialing: !hasSubscription && trialEndsAt !== null && trialEndsAt > now,
    hasSubscription,
    activeUntil: subscriptionActiveUntil,
    trialingUntil: trialEndsAt,
  }
}

/** A subscription as read from Stripe. */
export interface ProviderSubscription {
  subscriptionId: string
  status: string
  /** End of the current billing period. */
  periodEndsAt: Date
}

/** The columns that store a customer's effective subscription. */
export type StoredSubscription = Pick<
  Subscription,
  'subscriptionId' | 'subscriptionStatus' | 'subscriptionActiveUntil'
>

/**
 * Returns a customer's effective subscription: a paid one, otherwise one with a payment due,
 * otherwise an ended one. Among equals, the period that ends last decides. All fields are null for
 * an empty list.
 */
export function chooseSubscription(all: readonly ProviderSubscription[]): StoredSubscription {
  const rank = ({ status }: ProviderSubscription) => {
    if (paidStatuses.includes(status)) return 0
    return endedStatuses.includes(status) ? 2 : 1
  }
  const [first] = all.toSorted(
    (one, other) =>
      rank(one) - rank(other) || other.periodEndsAt.getTime() - one.periodEndsAt.getTime(),
  )
  if (!first) {
    return { subscriptionId: null, subscriptionStatus: null, subscriptionActiveUntil: null }
  }
  const { subscriptionId, status, periodEndsAt } = first
  return {
    subscriptionId: endedStatuses.includes(status) ? null : subscriptionId,
    subscriptionStatus: status,
    subscriptionActiveUntil: new Date(periodEndsAt.getTime() + graceMs),
  }
}

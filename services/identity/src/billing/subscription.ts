import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'

/** The columns of an account that decide whether it is paid up. */
export const Payment = z.object({
  /** End of the trial; null if the account is older than billing on this server. */
  trialEndsAt: z.date().nullable(),
  /** End of the paid period plus grace; null if there never was a subscription. */
  subscriptionActiveUntil: z.date().nullable(),
  /** Status at Stripe; null if there never was a subscription. */
  subscriptionStatus: z.string().nullable(),
})
export type Payment = z.infer<typeof Payment>

/** The columns of an account that store trial and subscription. */
export const Subscription = Payment.extend({
  /** Stripe's ID of the subscription; null if there is none or it has ended permanently. */
  subscriptionId: z.string().nullable(),
})
export type Subscription = z.infer<typeof Subscription>

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

const paidStatuses = ['active', 'trialing']
const endedStatuses = ['canceled', 'incomplete_expired']

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

/** Returns the end of a trial of `days` times 24 hours that begins at `now`. */
export function trialEnd(now: Date, days: number): Date {
  return new Date(now.getTime() + days * dayMs)
}

/**
 * Returns the instant until which an account is paid up: the later end of trial and paid period
 * among those that its status permits, or the epoch (docs/billing.md#subscription-states).
 */
export function paidUntil(payment: Payment): Date {
  const { trialEndsAt, subscriptionActiveUntil, subscriptionStatus: status } = payment
  const inOrder = status === null || paidStatuses.includes(status)
  const trial = inOrder || endedStatuses.includes(status) ? trialEndsAt : null
  const subscription = inOrder ? subscriptionActiveUntil : null
  return new Date(Math.max(trial?.getTime() ?? 0, subscription?.getTime() ?? 0))
}

/** Returns whether the account is paid up; always true without billing. */
export function isPaidUp(payment: Payment, now: Date, { billed }: { billed: boolean }): boolean {
  return !billed || paidUntil(payment) > now
}

/** Returns the state that clients see (docs/billing.md#subscription-states). */
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
 * Returns a customer's effective subscription: a paid one before one with a payment due, before an
 * ended one; then the one whose period ends last. All fields are null for an empty list.
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

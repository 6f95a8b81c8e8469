import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'

/** The columns of an account that decide whether it is paid up. */
export const Payment = z.object({
  /** End of the trial; null for an account created without billing, until a sweep sets it. */
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
 * Returns the instant until which an account is paid up (docs/billing.md#subscription-states). No
 * subscription or a paid one: the later end of trial and paid period. An ended subscription: the
 * end of the trial. A subscription with a payment due: 1970.
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
 * otherwise an ended one; of several, that whose period ends last. All fields are null for an empty
 * list.
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

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

// Statuses of subscriptions at Stripe (docs/billing.md#subscription-states).
export const paidStatuses = ['active', 'trialing']
export const endedStatuses = ['canceled', 'incomplete_expired']

/** Returns the end of a trial of `days` times 24 hours that begins at `now`. */
export function trialEnd(now: Date, days: number): Date {
  return new Date(now.getTime() + days * dayMs)
}

/**
 * Returns the instant until which an account is paid up (docs/billing.md#subscription-states). No
 * subscription or a paid one: the later end of trial and paid period. An ended subscription: the
 * end of the trial. A subscription with a payment due: 1970, so the account is not paid up.
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

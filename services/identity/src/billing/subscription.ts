import { z } from 'zod'

/** What an account has paid for, as far as whether it is paid up depends on it. */
export const Payment = z.object({
  /** Null where the account is older than billing on this server. */
  trialEndsAt: z.date().nullable(),
  /** End of the period paid for, with the days of grace; null without a subscription ever. */
  subscriptionActiveUntil: z.date().nullable(),
  /** Stripe's word; null without a subscription ever. */
  subscriptionStatus: z.string().nullable(),
})
export type Payment = z.infer<typeof Payment>

/** A payment with the subscription it is of. */
export const Subscription = Payment.extend({
  /** Null where none can still be paid. */
  subscriptionId: z.string().nullable(),
})
export type Subscription = z.infer<typeof Subscription>

/** How an account stands, as `GET /users/me` tells it. */
export interface SubscriptionState {
  isActive: boolean
  isTrialing: boolean
  hasSubscription: boolean
  activeUntil: Date | null
  trialingUntil: Date | null
}

const dayMs = 24 * 60 * 60_000

// A payment may come in so much later (spec/identity.md 7.5).
const graceMs = 4 * dayMs

const paidStatuses = ['active', 'trialing']
const endedStatuses = ['canceled', 'incomplete_expired']

// With one of these a subscription is mended in the portal (spec/identity.md 7.2).
const ownedStatuses = ['active', 'past_due', 'incomplete', 'unpaid']

/** Without billing every account counts as paid up (spec/interface.md, Authentication 3). */
const unbilled: SubscriptionState = {
  isActive: true,
  isTrialing: false,
  hasSubscription: false,
  activeUntil: null,
  trialingUntil: null,
}

/** The end of a trial that begins now. */
export function trialEnd(now: Date, days: number): Date {
  return new Date(now.getTime() + days * dayMs)
}

/**
 * The instant until which an account is paid up, the epoch where it is not at all: the later end of
 * trial and subscription while that is in order (spec/identity.md 7.2). A subscription that ended
 * leaves the trial; one that owes a payment does not.
 */
export function paidUntil(payment: Payment): Date {
  const { trialEndsAt, subscriptionActiveUntil, subscriptionStatus: status } = payment
  const inOrder = status === null || paidStatuses.includes(status)
  const trial = inOrder || endedStatuses.includes(status) ? trialEndsAt : null
  const subscription = inOrder ? subscriptionActiveUntil : null
  return new Date(Math.max(trial?.getTime() ?? 0, subscription?.getTime() ?? 0))
}

/** Whether the account may use what is paid for; always without billing. */
export function isPaidUp(payment: Payment, now: Date, { billed }: { billed: boolean }): boolean {
  return !billed || paidUntil(payment) > now
}

/** How the account stands (spec/identity.md 6.2, 7.2). */
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

/** A subscription as Stripe has it. */
export interface ProviderSubscription {
  subscriptionId: string
  status: string
  /** End of the current period. */
  periodEndsAt: Date
}

/** What is stored of a customer's subscriptions at Stripe (spec/identity.md 7.5). */
export type StoredSubscription = Pick<
  Subscription,
  'subscriptionId' | 'subscriptionStatus' | 'subscriptionActiveUntil'
>

/**
 * The one of a customer's subscriptions that counts: paid before owing before ended, among those
 * the one that lasts longest. Two checkouts, or messages out of order, so end in the same.
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

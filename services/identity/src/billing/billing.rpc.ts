import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import type { BillingService } from '@coffer/proto/identity/v1/billing'
import type { ServiceImpl } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import type { Billing } from './billing.client.ts'
import { findAccountOfCustomer, findBilledAccount } from './billing.sql.ts'
import {
  type BillingDeps,
  ensureCustomer,
  readSubscription,
  receiveStripeEvent,
} from './billing-account.service.ts'
import { subscriptionStateOf } from './subscription.ts'

const priceForMs = 60 * 60_000

/** `billing` is the client of Stripe; null while billing is off. */
type Deps = Pick<IdentityDeps, 'config' | 'database' | 'clock'> & { billing: Billing | null }

/** Returns the RPCs of billing; each throws refused (404) while billing is off. */
export function billingRoutes(deps: Deps): ServiceImpl<typeof BillingService> {
  const { database, clock } = deps
  const requireDeps = (): BillingDeps => {
    const { billing } = deps
    if (!billing) throw refused(say('BILLING_OFF'), { status: 404 })
    return { database, clock, billing }
  }
  const prices = new LRUCache<'price', { price: number | null }>({
    max: 1,
    ttl: priceForMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
    fetchMethod: async () => ({ price: await requireDeps().billing.findPrice() }),
  })
  return {
    createCheckout: async ({ cancelPath }, context) => {
      const { accountId } = signedIn(context)
      await requireUnsubscribed(requireDeps(), accountId)
      const customerId = await ensureCustomer(requireDeps(), accountId)
      const page = (path: string) => `${deps.config.externalUrl.replace(/\/$/, '')}${path}`
      return requireDeps().billing.createCheckout({
        customerId,
        accountId,
        successUrl: page('/account/subscribe/after?session={CHECKOUT_SESSION_ID}'),
        cancelUrl: page(cancelPath || '/account/subscribe'),
      })
    },
    completeCheckout: async ({ checkoutSessionId }, context) => {
      const { accountId } = signedIn(context)
      const customerId = await requireDeps().billing.findCheckoutCustomer(checkoutSessionId)
      const owner = customerId && (await findAccountOfCustomer(database, customerId))
      // 404, not 403: the answer must not confirm that another account's checkout exists.
      if (owner !== accountId) throw notFound('checkout')
      const isActive = await readSubscription(requireDeps(), accountId)
      if (isActive) return { nextUrl: '/', isActive }
      return { message: 'the subscription is not active', nextUrl: '/account/subscribe', isActive }
    },
    createPortal: async (_, context) => {
      const { accountId } = signedIn(context)
      const { billing } = requireDeps()
      const account = await findBilledAccount(database, accountId)
      if (!account?.subscriptionId) throw refused(say('SUBSCRIPTION_MISSING'))
      const customerId = await ensureCustomer(requireDeps(), accountId)
      return { url: await billing.createPortal(customerId, deps.config.externalUrl) }
    },
    getPlan: async () => {
      const { price } = await prices.forceFetch('price')
      return price === null ? {} : { price: BigInt(price) }
    },
    receiveStripeEvent: async ({ body, signature }) => {
      await receiveStripeEvent(requireDeps(), { body, signature })
      return {}
    },
  }
}

/** Throws refused (400) if the account may not subscribe (docs/billing.md#routes). */
async function requireUnsubscribed(
  { database, clock }: BillingDeps,
  accountId: string,
): Promise<void> {
  const account = await findBilledAccount(database, accountId)
  if (!account) throw notFound('account')
  if (account.subscriptionId) throw refused(say('SUBSCRIPTION_EXISTS'))
  const { isActive, isTrialing } = subscriptionStateOf(account, clock(), { billed: true })
  if (isActive && !isTrialing) throw refused(say('PAID_UP'))
}

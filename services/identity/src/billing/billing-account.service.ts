import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import type { Account } from '../book/account.ts'
import { hashOf } from '../book/secret.ts'
import { isPaidUp } from '../book/subscription.ts'
import type { IdentityDeps } from '../deps.ts'
import type { Billing } from './billing.client.ts'
import {
  clearCustomer,
  findAccountOfCustomer,
  findBilledAccount,
  findPayer,
  isHandledEvent,
  saveCustomer,
  saveReadTime,
  saveStripeEvent,
  saveSubscription,
} from './billing.sql.ts'
import { chooseSubscription, type StoredSubscription } from './subscription.ts'

export type BillingDeps = Pick<IdentityDeps, 'database' | 'clock'> & { billing: Billing }

const attemptsMax = 3

const subscriptionEvents = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
]

/**
 * Returns the ID of the account's customer at Stripe; creates a missing customer. Concurrent calls
 * create one customer by an idempotency key. The key has a hash of the address and name, because
 * Stripe refuses a key for a day after other values were sent with it. Throws notFound for an
 * account without an owner, and unavailable if Stripe does not answer.
 */
export async function ensureCustomer(
  { database, billing }: Pick<BillingDeps, 'database' | 'billing'>,
  accountId: string,
): Promise<string> {
  const account = await findBilledAccount(database, accountId)
  if (account?.customerId) return account.customerId
  const payer = await findPayer(database, accountId)
  if (!account || !payer) throw notFound('account')
  const name = `${payer.firstName} ${payer.lastName}`.trim()
  const customer = { accountId, email: payer.email, name }
  const payerHash = hashOf(JSON.stringify(customer)).toString('base64url').slice(0, 16)
  const key = `${accountId}/${account.version}/${payerHash}`
  const customerId = await billing.createCustomer(customer, key)
  return (await saveCustomer(database, accountId, customerId)) ?? customerId
}

/**
 * Reads the customer's subscriptions at Stripe and stores the effective one. Compare-and-set on the
 * account's version, three attempts: an older read never replaces a newer one. `also` runs in the
 * transaction of the save. Returns whether the account is paid up now; false for a deleted account.
 * Throws unavailable if Stripe does not answer or all three attempts conflict.
 */
export async function readSubscription(
  { database, billing, clock }: BillingDeps,
  accountId: string,
  also: (tx: Transaction) => Promise<void> = async () => {},
): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const account = await findBilledAccount(database, accountId)
    if (!account) return false
    const all = account.customerId ? await billing.listSubscriptions(account.customerId) : []
    const stored = chooseSubscription(all)
    const now = clock()
    const isSaved = await database.transaction(async (tx) => {
      const isNews = !isStored(account, stored)
      const saved = isNews
        ? await saveSubscription(tx, account, { stored, now })
        : await saveReadTime(tx, account, now)
      if (saved) await also(tx)
      return saved
    })
    if (isSaved) return isPaidUp({ ...account, ...stored }, now, { billed: true })
  }
  throw unavailable(say('ACCOUNT_CHANGES'))
}

/**
 * Handles a webhook of Stripe (docs/billing.md#routes). The state is read from Stripe, so events
 * may be late, repeated or out of order; unknown types and customers are ignored. Throws refused
 * (400) for a bad signature, and unavailable if Stripe has to send the event again.
 */
export async function receiveStripeEvent(
  deps: BillingDeps,
  message: { body: Uint8Array; signature: string },
): Promise<void> {
  const { database, billing, clock } = deps
  const { eventId, type, customerId } = await billing.readEvent(
    message.body,
    message.signature,
    clock(),
  )
  const isDeletion = type === 'customer.deleted'
  if (customerId === null || !(isDeletion || subscriptionEvents.includes(type))) return
  if (await isHandledEvent(database, eventId)) return
  const accountId = await findAccountOfCustomer(database, customerId)
  if (accountId === null) return
  await readSubscription(deps, accountId, async (tx) => {
    if (isDeletion) await clearCustomer(tx, accountId, customerId)
    await saveStripeEvent(tx, eventId)
  })
}

function isStored(account: Account, stored: StoredSubscription): boolean {
  const { subscriptionId, subscriptionStatus, subscriptionActiveUntil: until } = stored
  return (
    account.subscriptionId === subscriptionId &&
    account.subscriptionStatus === subscriptionStatus &&
    account.subscriptionActiveUntil?.getTime() === until?.getTime()
  )
}

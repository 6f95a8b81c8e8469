import type { Transaction } from '@coffer/kit/database/database'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import type { Account } from '../accounts/account.ts'
import type { IdentityDeps } from '../deps.ts'
import type { Billing } from './billing.client.ts'
import {
  findBilledAccount,
  findPayer,
  saveCustomer,
  saveReadTime,
  saveSubscription,
} from './billing.sql.ts'
import { chooseSubscription, isPaidUp, type StoredSubscription } from './subscription.ts'

export type BillingDeps = Pick<IdentityDeps, 'database' | 'clock'> & { billing: Billing }

const attemptsMax = 3

/**
 * Returns the ID of the account's customer at Stripe; creates a missing one. Idempotency key:
 * account and version, so that concurrent and repeated calls create one customer. Throws notFound
 * and unavailable.
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
  const customerId = await billing.createCustomer(customer, `${accountId}/${account.version}`)
  await saveCustomer(database, accountId, customerId)
  return (await findBilledAccount(database, accountId))?.customerId ?? customerId
}

/**
 * Reads the customer's subscriptions at Stripe and stores the effective one. Compare-and-set on the
 * account's version, three attempts: an older read never replaces a newer one, so events may arrive
 * in any order. `also` runs in the transaction. Returns whether the account is paid up now; false
 * for a deleted account. Throws unavailable.
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
  throw unavailable('the account is being changed: repeat the request')
}

function isStored(account: Account, stored: StoredSubscription): boolean {
  const { subscriptionId, subscriptionStatus, subscriptionActiveUntil: until } = stored
  return (
    account.subscriptionId === subscriptionId &&
    account.subscriptionStatus === subscriptionStatus &&
    account.subscriptionActiveUntil?.getTime() === until?.getTime()
  )
}

import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { isFirstDelivery } from '@coffer/kit/events/consumer'
import { sql } from 'slonik'
import { z } from 'zod'
import { emitAccountSettings } from '../accounts/account.sql.ts'
import { Account } from '../accounts/account.ts'
import type { StoredSubscription } from './subscription.ts'

const columns = columnsOf(Account, { table: 'accounts' })
const Billed = Account.extend({ customerId: z.string().nullable() })

/** An account with its customer at Stripe. */
export type BilledAccount = z.infer<typeof Billed>

const Payer = z.object({ email: z.string(), firstName: z.string(), lastName: z.string() })
const Id = z.object({ accountId: z.string() })

// The inbox keeps Stripe's events beside those of the mesh (kit).
const stripeConsumer = 'stripe'

/** Null where the account has gone. */
export function findBilledAccount(
  { pool }: Database,
  accountId: string,
): Promise<BilledAccount | null> {
  return pool.maybeOne(sql.type(Billed)`
    SELECT ${columns}, billing_customer_id AS "customerId" FROM accounts
    WHERE account_id = ${accountId}`)
}

/** Whose customer it is; null for a customer of nobody here. */
export function findAccountOfCustomer(
  { pool }: Database,
  customerId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM accounts WHERE billing_customer_id = ${customerId}`)
}

/** Name and address of the account's owner; null where there is none. */
export function findPayer({ pool }: Database, accountId: string) {
  return pool.maybeOne(sql.type(Payer)`
    SELECT l.email, l.first_name AS "firstName", l.last_name AS "lastName"
    FROM users u JOIN logins l USING (login_id)
    WHERE u.account_id = ${accountId} AND u.role = 'owner' ORDER BY u.user_id LIMIT 1`)
}

/** Stores the customer of an account that has none; of several at once the first stays. */
export async function saveCustomer(
  { pool }: Database,
  accountId: string,
  customerId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE accounts SET billing_customer_id = ${customerId}
    WHERE account_id = ${accountId} AND billing_customer_id IS NULL`)
}

/** Forgets a customer that Stripe has deleted, with its subscriptions. */
export async function clearCustomer(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE accounts SET billing_customer_id = NULL
    WHERE account_id = ${accountId} AND billing_customer_id = ${customerId}`)
}

/**
 * Stores what Stripe said of an account whose version is still the one it was asked under, and
 * tells the others where that changes something. False where the account has changed meanwhile.
 */
export async function saveSubscription(
  tx: Transaction,
  { accountId, version }: Account,
  { stored, now }: { stored: StoredSubscription; now: Date },
): Promise<boolean> {
  const { subscriptionId, subscriptionStatus: status, subscriptionActiveUntil } = stored
  const until = subscriptionActiveUntil?.toISOString() ?? null
  const saved = await tx.maybeOne(sql.type(Account)`
    UPDATE accounts SET subscription_id = ${subscriptionId}, subscription_status = ${status},
      subscription_active_until = ${until}, billing_read_at = ${sql.timestamp(now)},
      version = version + 1
    WHERE account_id = ${accountId} AND version = ${version}
    RETURNING ${columns}`)
  if (saved) await emitAccountSettings(tx, [saved], { billed: true })
  return saved !== null
}

/** Notes that Stripe was asked and had nothing new. */
export async function saveReadTime(
  tx: Transaction,
  { accountId, version }: Account,
  now: Date,
): Promise<boolean> {
  const noted = await tx.maybeOne(sql.type(Id)`
    UPDATE accounts SET billing_read_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND version = ${version} RETURNING account_id AS "accountId"`)
  return noted !== null
}

/** Records an event of Stripe in the transaction of its effect. */
export async function saveStripeEvent(tx: Transaction, eventId: string): Promise<void> {
  await isFirstDelivery(tx, { consumer: stripeConsumer, changeId: eventId })
}

/** Whether an event of Stripe was had before. */
export async function isHandledEvent({ pool }: Database, eventId: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM inbox WHERE consumer = ${stripeConsumer} AND change_id = ${eventId}`)
}

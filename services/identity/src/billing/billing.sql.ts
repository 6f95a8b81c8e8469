import type { Database, Transaction } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { isFirstDelivery } from '@coffer/kit/events/handler'
import { sql } from 'slonik'
import { z } from 'zod'
import { emitAccountSettings } from '../book/account.sql.ts'
import { Account } from '../book/account.ts'
import { Person } from '../book/login.ts'
import type { StoredSubscription } from './subscription.ts'

const columns = columnsOf(Account, { table: 'accounts' })
const Billed = Account.extend({ customerId: z.string().nullable() })

/** An account with the ID of its customer at Stripe; `customerId` is null without a customer. */
export type BilledAccount = z.infer<typeof Billed>

const Id = z.object({ accountId: z.string() })
const CustomerId = z.object({ customerId: z.string() })

// Consumer name of Stripe's events in `inbox`, the table of messages that were handled.
const stripeConsumer = 'stripe'

/** Returns the account with its customer ID at Stripe; null if the account was deleted. */
export function findBilledAccount(
  { pool }: Database,
  accountId: string,
): Promise<BilledAccount | null> {
  return pool.maybeOne(sql.type(Billed)`
    SELECT ${columns}, billing_customer_id AS "customerId" FROM accounts
    WHERE account_id = ${accountId}`)
}

/** Returns the account ID of a customer at Stripe; null for an unknown customer. */
export function findAccountOfCustomer(
  { pool }: Database,
  customerId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(Id)`
    SELECT account_id AS "accountId" FROM accounts WHERE billing_customer_id = ${customerId}`)
}

/** Returns names and email address of the account's owner; null without an owner. */
export function findPayer({ pool }: Database, accountId: string): Promise<Person | null> {
  return pool.maybeOne(sql.type(Person)`
    SELECT l.email, l.first_name AS "firstName", l.last_name AS "lastName"
    FROM users u JOIN logins l USING (login_id)
    WHERE u.account_id = ${accountId} AND u.role = 'owner' ORDER BY u.user_id LIMIT 1`)
}

/**
 * Stores the customer ID of an account that has none; the first of concurrent calls wins. Returns
 * the stored ID; null for a deleted account.
 */
export function saveCustomer(
  { pool }: Database,
  accountId: string,
  customerId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(CustomerId)`
    UPDATE accounts SET billing_customer_id = coalesce(billing_customer_id, ${customerId})
    WHERE account_id = ${accountId} RETURNING billing_customer_id AS "customerId"`)
}

/** Clears the customer ID of an account if it is still `customerId`. */
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
 * Stores the subscription and emits the account's settings. Compare-and-set on the account's
 * version: returns false, and stores nothing, if the row has another version.
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

/** Stores the time of a read from Stripe; returns false if the account's version has changed. */
export async function saveReadTime(
  tx: Transaction,
  { accountId, version }: Account,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE accounts SET billing_read_at = ${sql.timestamp(now)}
    WHERE account_id = ${accountId} AND version = ${version}`)
  return rowCount === 1
}

/** Stores the ID of a handled event of Stripe, in the transaction of its effect. */
export async function saveStripeEvent(tx: Transaction, eventId: string): Promise<void> {
  await isFirstDelivery(tx, { consumer: stripeConsumer, changeId: eventId })
}

/** Returns whether an event of Stripe was handled before. */
export async function isHandledEvent({ pool }: Database, eventId: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM inbox WHERE consumer = ${stripeConsumer} AND change_id = ${eventId}`)
}

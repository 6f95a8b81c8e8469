import type { Database, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnNames, columnsOf, recordsOf } from '@coffer/kit/database/rows'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/feedsync/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import type { FeedLink } from '../connections/feed-link.ts'
import type { Discovery } from '../provider/lunch-flow.ts'
import { FeedBankAccount } from './feed-bank-account.ts'

const columns = columnsOf(FeedBankAccount, { table: 'feed_bank_accounts' })
const FeedId = z.object({ feedId: z.string() })

type LinkKey = Pick<FeedLink, 'accountId' | 'feedLinkId'>

/**
 * Returns the candidates (bank accounts that a feed offers) with these IDs, deleted ones included,
 * ordered by ID.
 */
export function findFeedBankAccounts(
  { pool }: Database,
  accountId: string,
  feedBankAccountIds: readonly string[],
): Promise<readonly FeedBankAccount[]> {
  return pool.any(sql.type(FeedBankAccount)`
    SELECT ${columns} FROM feed_bank_accounts
    WHERE account_id = ${accountId}
      AND feed_bank_account_id = ANY(${sql.array([...feedBankAccountIds], 'text')})
    ORDER BY feed_bank_account_id`)
}

/** Returns the candidates of a feed connection that are not deleted, newest first. */
export function listFeedBankAccounts(
  { pool }: Database,
  { accountId, feedLinkId }: LinkKey,
): Promise<readonly FeedBankAccount[]> {
  return pool.any(sql.type(FeedBankAccount)`
    SELECT ${columns} FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId} AND deleted_at IS NULL
    ORDER BY feed_bank_account_id DESC`)
}

/** Returns the provider's IDs of all candidates of a feed connection. */
export function listFeedIds(
  { pool }: Database,
  { accountId, feedLinkId }: LinkKey,
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(FeedId)`
    SELECT feed_id AS "feedId" FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}`)
}

/** Inserts candidates; leaves out those that a concurrent refresh has inserted. */
export async function insertFeedBankAccounts(
  tx: Transaction,
  candidates: readonly FeedBankAccount[],
): Promise<void> {
  await tx.query(sql.unsafe`
    INSERT INTO feed_bank_accounts (${columnNames(FeedBankAccount)})
    SELECT ${columnNames(FeedBankAccount)}
    FROM jsonb_populate_recordset(NULL::feed_bank_accounts, ${recordsOf(candidates)}::jsonb)
    ON CONFLICT ON CONSTRAINT feed_bank_accounts_feed DO NOTHING`)
}

/** Locks and returns a candidate, null if it is missing. */
export function lockFeedBankAccount(
  tx: Transaction,
  accountId: string,
  feedBankAccountId: string,
): Promise<FeedBankAccount | null> {
  return tx.maybeOne(sql.type(FeedBankAccount)`
    SELECT ${columns} FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}
    FOR NO KEY UPDATE`)
}

/**
 * Emits the event by which clients learn that the bank account of a candidate has changed; nothing
 * for a candidate without one.
 */
export async function tellCandidate(
  tx: Transaction,
  { accountId, bankAccountId, updatedAt: now }: FeedBankAccount,
): Promise<void> {
  if (bankAccountId === null) return
  const objects = [
    { type: 'bank_account.updated', objectId: bankAccountId, bankAccountId },
  ] as const
  await emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Saves the fields of a candidate that activation and deactivation change. */
export async function saveFeedBankAccount(
  tx: Transaction,
  candidate: FeedBankAccount,
): Promise<void> {
  const { accountId, feedBankAccountId } = candidate
  await tx.query(sql.unsafe`
    UPDATE feed_bank_accounts
    SET ${assignmentsOf(candidate, ['bankAccountId', 'useVersion', 'status', 'updatedAt'])}
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}`)
  await tellCandidate(tx, candidate)
}

/**
 * Saves the provider's current fields of known candidates if they differ from the stored fields.
 */
export async function updateOffered(
  { pool }: Database,
  { accountId, feedLinkId }: LinkKey,
  { discoveries, now }: { discoveries: readonly Discovery[]; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE feed_bank_accounts AS old
    SET feed_status = new.feed_status, name = new.name, institution_name = new.institution_name,
      updated_at = ${now.toISOString()}
    FROM jsonb_populate_recordset(NULL::feed_bank_accounts, ${recordsOf(discoveries)}::jsonb) AS new
    WHERE old.account_id = ${accountId} AND old.feed_link_id = ${feedLinkId}
      AND old.feed_id = new.feed_id
      AND (old.feed_status, old.name, old.institution_name)
        IS DISTINCT FROM (new.feed_status, new.name, new.institution_name)`)
}

/** Saves the balance of a candidate, in minor units of its currency. */
export async function saveCurrentBalance(
  { pool }: Database,
  { accountId, feedBankAccountId, currentBalance }: FeedBankAccount,
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE feed_bank_accounts SET current_balance = ${currentBalance}
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}`)
}

/**
 * Clears the sync state of a candidate, an account that the feed offers, when it is imported into
 * another bank account: the state describes what the former one has.
 */
export async function forgetSyncs(
  tx: Transaction,
  { accountId, feedBankAccountId }: FeedBankAccount,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE feed_bank_accounts
    SET last_synced_at = NULL, last_whole_at = NULL, ended_run_id = NULL, failures_in_row = 0,
      fault_code = NULL, fault_detail = NULL, fault_at = NULL
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}`)
}

/**
 * Locks the feed connection of a candidate. Lock order: connection before candidate, against
 * deadlocks.
 */
export async function lockConnectionOf(
  tx: Transaction,
  { accountId, feedBankAccountId }: Pick<FeedBankAccount, 'accountId' | 'feedBankAccountId'>,
): Promise<void> {
  await tx.query(sql.unsafe`
    SELECT FROM feed_links
    WHERE account_id = ${accountId} AND feed_link_id = (
      SELECT feed_link_id FROM feed_bank_accounts
      WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId})
    FOR NO KEY UPDATE`)
}

/**
 * Makes the next sync of a feed connection due, for a new bank account. During a sync, which may
 * have begun without the bank account, the new due time makes `endSync` schedule another.
 */
export async function scheduleSoon(
  tx: Transaction,
  { accountId, feedLinkId }: LinkKey,
  now: Date,
): Promise<void> {
  const instant = sql.fragment`${now.toISOString()}::timestamptz`
  await tx.query(sql.unsafe`
    UPDATE feed_links
    SET next_sync_at = CASE WHEN sync_run_id IS NULL
      THEN least(next_sync_at, ${instant}) ELSE ${instant} END
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}
      AND status <> 'deactivated'`)
}

/** Deletes the candidates of a feed connection that has ended (docs/banks/feed.md#candidates). */
export async function deleteFeedBankAccounts(
  tx: Transaction,
  { accountId, feedLinkId }: LinkKey,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}`)
}

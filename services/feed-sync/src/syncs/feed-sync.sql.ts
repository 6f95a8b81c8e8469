import type { Database, Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf } from '@coffer/kit/database/rows'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/feedsync/v1/events'
import { createSyncStore } from '@coffer/sync-kit/syncs/sync-store.sql'
import { type FragmentSqlToken, sql } from 'slonik'
import { tellCandidate } from '../candidates/feed-bank-account.sql.ts'
import { CandidateSync } from '../candidates/feed-bank-account.ts'
import type { FeedFault } from '../provider/feed-fault.ts'
import { FeedSync, FeedSyncKey } from './feed-sync.ts'
import type { AccountRun, Run } from './feed-sync-run.ts'

const candidateColumns = columnsOf(CandidateSync, { table: 'feed_bank_accounts' })

type LinkKey = Pick<FeedSyncKey, 'accountId' | 'feedLinkId'>
type CandidateKey = Pick<CandidateSync, 'accountId' | 'feedBankAccountId'>

/** The stored syncs of feed connections. After five failures in a row, only requested syncs run. */
export const feedSyncs = createSyncStore({
  table: 'feed_links',
  row: FeedSync,
  key: FeedSyncKey,
  id: 'feedLinkId',
  changed: ['status'],
  isScheduled: sql.fragment`status = 'active'`,
  isRequestable: sql.fragment`status IN ('active', 'error')`,
  isInUse: sql.fragment`status IN ('active', 'error')`,
  tell: (save, objects) => objectsChanged(ObjectsChangedSchema, save, objects),
})

/** Stores the fault of the list of accounts, unless another sync has begun. */
export async function storeLinkFault(
  { pool }: Pick<Database, 'pool'> | { pool: Transaction },
  { accountId, feedLinkId, runId }: Run,
  of: { fault: FeedFault; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE feed_links SET ${faultAssignments(of)}
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId} AND sync_run_id = ${runId}`)
}

/**
 * Stores the fault of a bank account. It also becomes the fault of the connection, so that it
 * explains the error if no bank account can be synced.
 */
export async function storeCandidateFault(
  database: Database,
  run: AccountRun,
  of: { fault: FeedFault; now: Date },
): Promise<void> {
  await database.transaction(async (tx) => {
    await storeLinkFault({ pool: tx }, run, of)
    await tx.query(sql.unsafe`
      UPDATE feed_bank_accounts SET ${faultAssignments(of)}
      WHERE account_id = ${run.accountId} AND feed_bank_account_id = ${run.feedBankAccountId}`)
  })
}

/**
 * Lists the candidates (bank accounts that a feed offers) of a feed connection that have a bank
 * account in use, oldest first.
 */
export function listCandidatesInUse(
  { pool }: Pick<Database, 'pool'> | { pool: Transaction },
  { accountId, feedLinkId }: LinkKey,
): Promise<readonly CandidateSync[]> {
  return pool.any(sql.type(CandidateSync)`
    SELECT ${candidateColumns} FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}
      AND status <> 'inactive' AND deleted_at IS NULL
    ORDER BY feed_bank_account_id`)
}

/**
 * Lists the candidates of a feed connection that have or had a bank account, oldest first. Leaves
 * out candidates whose bank account is attached to another candidate now.
 */
export function listCandidatesEverUsed(
  { pool }: Database,
  { accountId, feedLinkId }: LinkKey,
): Promise<readonly CandidateSync[]> {
  return pool.any(sql.type(CandidateSync)`
    SELECT ${candidateColumns} FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}
      AND bank_account_id IS NOT NULL
      AND (status <> 'inactive' OR bank_account_id NOT IN (
        SELECT bank_account_id FROM feed_bank_accounts
        WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}
          AND status <> 'inactive' AND bank_account_id IS NOT NULL))
    ORDER BY feed_bank_account_id`)
}

/** Returns whether the bank account of a candidate was attached to another candidate before. */
export function hasFormerCandidate(
  { pool }: Database,
  {
    accountId,
    feedLinkId,
    feedBankAccountId,
    bankAccountId,
  }: CandidateKey & LinkKey & { bankAccountId: string },
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}
      AND bank_account_id = ${bankAccountId} AND feed_bank_account_id <> ${feedBankAccountId}`)
}

/** Locks and returns a candidate with the state of its syncs; null if it is missing. */
export function lockCandidateSync(
  tx: Transaction,
  { accountId, feedBankAccountId }: CandidateKey,
): Promise<CandidateSync | null> {
  return tx.maybeOne(sql.type(CandidateSync)`
    SELECT ${candidateColumns} FROM feed_bank_accounts
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}
    FOR NO KEY UPDATE`)
}

/** Saves the fields of a candidate that the end of a sync changes. */
export async function saveCandidateSync(tx: Transaction, candidate: CandidateSync): Promise<void> {
  const { accountId, feedBankAccountId } = candidate
  await tx.query(sql.unsafe`
    UPDATE feed_bank_accounts
    SET ${assignmentsOf(candidate, [
      'status',
      'syncCount',
      'lastSyncedAt',
      'lastWholeAt',
      'endedRunId',
      'failuresInRow',
      'faultCode',
      'faultDetail',
      'faultAt',
      'updatedAt',
    ])}
    WHERE account_id = ${accountId} AND feed_bank_account_id = ${feedBankAccountId}`)
  await tellCandidate(tx, candidate)
}

function faultAssignments({ fault, now }: { fault: FeedFault; now: Date }): FragmentSqlToken {
  return sql.fragment`fault_code = ${fault.code}, fault_detail = ${fault.detail},
    fault_at = ${now.toISOString()}::timestamptz`
}

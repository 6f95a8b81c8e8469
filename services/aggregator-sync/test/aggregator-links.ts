import type { Database } from '@coffer/kit/database/database'
import { insertOf } from '@coffer/kit/database/rows'
import { newId } from '@coffer/kit/values/id'
import { sql } from 'slonik'
import { ItemSync } from '../src/syncs/item-sync.ts'

/** Inserts a link of a new account that is set up, with `changes`, and without a token. */
export async function insertItemSync(
  database: Database,
  changes: Partial<ItemSync> = {},
): Promise<ItemSync> {
  const now = new Date('2026-02-01T10:00:00Z')
  const sync: ItemSync = {
    accountId: newId('acct'),
    linkId: newId('link'),
    status: 'setup',
    itemId: newId('item'),
    institutionId: 'ins_1',
    institutionName: 'First Bank',
    products: ['transactions'],
    webhookUrl: null,
    chosenAccounts: [],
    errorCode: null,
    expirationDate: null,
    newAccountsAvailable: false,
    statusAsOf: null,
    noticedFor: null,
    createdAt: now,
    createdBy: 'user_1',
    updatedAt: now,
    deletedAt: null,
    releasedAt: null,
    cursor: null,
    pageCursor: null,
    loopNumber: 0,
    wholeLoopStartedAt: null,
    wholeRequestedAt: null,
    lastManualSync: null,
    lastSuccessfulUpdate: null,
    lastAttemptedUpdate: null,
    requestedAt: null,
    nextSyncAt: null,
    syncRunId: null,
    syncStartedAt: null,
    syncIsManual: false,
    failuresInRow: 0,
    faultCode: null,
    faultDetail: null,
    faultAt: null,
    addedCount: 0,
    changedCount: 0,
    matchedCount: 0,
    removedCount: 0,
    skippedCount: 0,
    lastAccountSync: null,
    syncCount: 0n,
    ...changes,
  }
  await database.pool.query(sql.unsafe`${insertOf('aggregator_links', ItemSync, sync)}`)
  return sync
}

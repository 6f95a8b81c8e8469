import type { Database } from '@coffer/kit/database/database'
import { insertOf } from '@coffer/kit/database/rows'
import { newId } from '@coffer/kit/values/id'
import { idleSync } from '@coffer/sync-kit/testing/idle-sync'
import { sql } from 'slonik'
import type { AggregatorLink } from '../src/connections/aggregator-link.ts'
import { ItemSync } from '../src/syncs/item-sync.ts'

/** Returns a link that is set up, with `changes`. */
export function anAggregatorLink(changes: Partial<AggregatorLink> = {}): AggregatorLink {
  const now = new Date('2026-02-01T10:00:00Z')
  return {
    accountId: 'acct_1',
    linkId: 'link_1',
    status: 'setup',
    itemId: 'item',
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
    ...changes,
  }
}

/** Returns a link that is set up and was never synced, with `changes`. */
export function anItemSync(changes: Partial<ItemSync> = {}): ItemSync {
  return {
    ...anAggregatorLink(),
    ...idleSync,
    cursor: null,
    pageCursor: null,
    loopNumber: 0,
    wholeLoopStartedAt: null,
    wholeRequestedAt: null,
    skippedAccounts: [],
    loopIsIncomplete: false,
    awaitedPending: [],
    incompleteSince: null,
    rereadAt: null,
    lastAccountSync: null,
    windowRequestedAt: null,
    syncCount: 0n,
    ...changes,
  }
}

/** Inserts a link of a new account that is set up, with `changes`, and without a token. */
export async function insertItemSync(
  database: Database,
  changes: Partial<ItemSync> = {},
): Promise<ItemSync> {
  const ids = { accountId: newId('acct'), linkId: newId('link'), itemId: newId('item') }
  const sync = anItemSync({ ...ids, ...changes })
  await database.pool.query(sql.unsafe`${insertOf('aggregator_links', ItemSync, sync)}`)
  return sync
}

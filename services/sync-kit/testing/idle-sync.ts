import type { SyncState } from '../src/syncs/sync-state.ts'

/** State of the syncs of a connection that was never synced, and has no sync to do. */
export const idleSync = {
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
} satisfies Omit<SyncState, 'updatedAt'>

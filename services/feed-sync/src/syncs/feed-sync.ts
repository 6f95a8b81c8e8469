import { z } from 'zod'
import { FeedLink } from '../links/feed-link.ts'

/** A feed connection with the state of its syncs. */
export const FeedSync = FeedLink.extend({
  /** When a sync was requested that has not begun; null if none. */
  requestedAt: z.date().nullable(),
  /** When the next scheduled sync is due; null if none is scheduled. */
  nextSyncAt: z.date().nullable(),
  /** ID and begin of the sync that runs; null if none runs. */
  syncRunId: z.string().nullable(),
  syncStartedAt: z.date().nullable(),
  failuresInRow: z.number(),
  faultAt: z.date().nullable(),
  /** Numbers of transactions of the last successful sync. */
  addedCount: z.number(),
  changedCount: z.number(),
  matchedCount: z.number(),
  removedCount: z.number(),
  skippedCount: z.number(),
})
export type FeedSync = z.infer<typeof FeedSync>

/** A feed connection and the link that uses it. */
export interface FeedSyncKey {
  accountId: string
  linkId: string
  feedLinkId: string
}

/** Numbers of transactions in a sync. */
export interface Tally {
  added: number
  changed: number
  /** Pending ones that were posted, and others that were recognized under a new ID. */
  matched: number
  removed: number
  skipped: number
}

/** How a sync ended. */
export type SyncOutcome =
  | { kind: 'complete'; tally: Tally }
  /** The activity that met the fault has stored it. */
  | { kind: 'failed' }
  /** The provider asks to wait: no failure. */
  | { kind: 'postponed'; untilMs: number }
  /** Coffer could not finish it (the ledger or a database is away): no failure. */
  | { kind: 'unfinished' }
  /** The link was deleted: nothing is scheduled. */
  | { kind: 'gone' }

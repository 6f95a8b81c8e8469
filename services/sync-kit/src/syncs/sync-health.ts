import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { toMessage } from '@coffer/kit/rpc/message'
import {
  type SyncHealth as FormerHealth,
  SyncHealthSchema as FormerHealthSchema,
} from '@coffer/proto/feedsync/v1/feed_sync'
import {
  SyncArrivalSchema,
  SyncErrorSchema,
  type SyncHealth,
  SyncHealthSchema,
} from '@coffer/proto/sync/v1/health'
import type { SyncState } from './sync-state.ts'

/** Returns the numbers of transactions of the last successful sync; null before the first. */
export function toArrival(sync: SyncState) {
  if (sync.lastSuccessfulUpdate === null) return null
  return toMessage(SyncArrivalSchema, {
    added: sync.addedCount,
    changed: sync.changedCount,
    matched: sync.matchedCount,
    removed: sync.removedCount,
    skipped: sync.skippedCount,
  })
}

/** Returns a stored fault with its text by `describe`; null without one. */
export function toError<Code extends string>(
  of: { faultCode: Code | null; faultDetail: string | null; faultAt: Date | null },
  describe: (fault: { code: Code; detail: string }) => { text: string; advice: string },
) {
  const { faultCode: code, faultDetail: detail, faultAt: at } = of
  if (code === null || at === null) return null
  return toMessage(SyncErrorSchema, { code, ...describe({ code, detail: detail ?? '' }), at })
}

/**
 * until 0.4: converts the message that describes the health of syncs to the former message of
 * feed-sync with the same fields, which gateways of 0.2 read.
 */
export function toFormerHealth(health: SyncHealth): FormerHealth {
  return fromBinary(FormerHealthSchema, toBinary(SyncHealthSchema, health))
}

import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import {
  FeedSyncService,
  type SyncHealth as FormerHealth,
  SyncHealthSchema as FormerHealthSchema,
} from '@coffer/proto/feedsync/v1/feed_sync'
import { type SyncHealth, SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import type { CallOptions } from '@connectrpc/connect'
import { requirePart } from '../http/answers/answer.ts'
import { isUnknownRpc } from '../http/errors/errors.ts'

/** Functions that get the sync health of a link; they throw notFound if its service lacks it. */
export interface SyncHealths {
  ofFeed: (feedLinkId: string, options: CallOptions) => Promise<SyncHealth>
  ofAggregator: (linkId: string, options: CallOptions) => Promise<SyncHealth>
}

export function createSyncHealths(mesh: Mesh): SyncHealths {
  const feed = mesh.client('feed-sync', FeedSyncService)
  const aggregator = mesh.client('aggregator-sync', AggregatorSyncService)
  return {
    ofFeed: (feedLinkId, options) =>
      orFormer(feed.getHealth({ feedLinkId }, options), () =>
        feed.getSyncHealth({ feedLinkId }, options),
      ),
    ofAggregator: (linkId, options) =>
      orFormer(aggregator.getHealth({ linkId }, options), () =>
        aggregator.getAggregatorHealth({ linkId }, options),
      ),
  }
}

/** until 0.4: a service of 0.2.0 only has the former RPC, whose answer has the same fields. */
async function orFormer(
  answer: Promise<{ health?: SyncHealth | undefined }>,
  askFormer: () => Promise<{ health?: FormerHealth | undefined }>,
): Promise<SyncHealth> {
  try {
    return requirePart((await answer).health)
  } catch (error) {
    if (!isUnknownRpc(error)) throw error
    const former = requirePart((await askFormer()).health)
    return fromBinary(SyncHealthSchema, toBinary(FormerHealthSchema, former))
  }
}

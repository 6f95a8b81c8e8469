import { changeOf } from '@coffer/kit/events/changes'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { createSyncRequests } from '@coffer/sync-kit/syncs/sync-requests.service'
import { itemSyncs } from './item-sync.sql.ts'
import { requestItemSync } from './item-sync.ts'

/** Requests and starts of the syncs of links over the aggregator. */
export const itemRequests = createSyncRequests({
  store: itemSyncs,
  noun: 'aggregator link',
  request: requestItemSync,
  eventOf: ({ accountId, linkId }, now) => {
    const subject = { accountId, entityId: linkId, version: BigInt(now.getTime()) }
    return changeOf(AggregatorSyncRequestedSchema, subject, { accountId, linkId })
  },
  workflow: 'syncAggregatorLink',
  prefix: 'aggregator-sync',
})

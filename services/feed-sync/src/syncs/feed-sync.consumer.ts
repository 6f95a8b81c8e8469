import { saveSubscription } from '@coffer/kit/accounts/subscription.sql'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { FeedSyncRequestedSchema } from '@coffer/proto/feedsync/v1/events'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { feedRequests } from './feed-requests.service.ts'

/** Returns the handlers of requested syncs and of identity's events. */
export function feedSyncHandlers(deps: Pick<ServiceDeps, 'database' | 'workflows'>): Handler[] {
  return [
    on(FeedSyncRequestedSchema, (key) => feedRequests.startRequested(deps, key)),
    on(AccountSettingsChangedSchema, (settings) => saveSubscription(deps.database, settings)),
  ]
}

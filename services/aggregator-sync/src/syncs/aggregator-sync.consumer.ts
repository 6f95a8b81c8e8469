import { saveSubscription } from '@coffer/kit/accounts/subscription.sql'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { itemRequests } from './item-requests.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'>

/** Returns the handlers of requested syncs and of identity's events. */
export function aggregatorSyncHandlers(deps: Deps): Handler[] {
  return [
    on(AggregatorSyncRequestedSchema, (key) => itemRequests.startRequested(deps, key)),
    on(AccountSettingsChangedSchema, (settings) => saveSubscription(deps.database, settings)),
  ]
}

import { saveSubscription } from '@coffer/kit/accounts/subscription.sql'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { findItemSync } from './item-sync.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'>

/** Returns the handlers of requested syncs and of identity's events. */
export function aggregatorSyncHandlers({ database, workflows }: Deps): Handler[] {
  return [
    on(AggregatorSyncRequestedSchema, async (key) => {
      const sync = await findItemSync(database, key)
      if (sync?.requestedAt) await startAggregatorSync(workflows, key)
    }),
    on(AccountSettingsChangedSchema, (settings) => saveSubscription(database, settings)),
  ]
}

/** Starts the syncs of a link; if its workflow runs, it looks once more for a request. */
export function startAggregatorSync(
  workflows: Workflows,
  { accountId, linkId }: LinkKey,
): Promise<void> {
  const key: LinkKey = { accountId, linkId }
  return workflows.start({
    type: 'syncAggregatorLink',
    id: `aggregator-sync/${linkId}`,
    args: [key],
  })
}

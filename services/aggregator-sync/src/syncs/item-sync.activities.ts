import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { beginRun } from '@coffer/sync-kit/syncs/sync-step.service'
import { aggregatorAddresses } from '../config.ts'
import { applyStatement } from '../connections/link-status.ts'
import { refreshItem } from './account-import.service.ts'
import { changeRunning, itemSyncs } from './item-sync.sql.ts'
import {
  type Begun,
  beginItemSync,
  endItemSync,
  type ItemOutcome,
  type ItemSync,
} from './item-sync.ts'
import type { BegunRun, Run } from './item-sync-run.ts'
import { requestReread, requestSkipped } from './loop.ts'
import {
  callBy,
  type OpenedSync,
  publishStatus,
  runItemStep,
  type SyncDeps,
} from './sync-step.service.ts'

/** Returns the idempotent activities that begin and end a sync, and update its bank accounts. */
export function itemSyncActivities(deps: SyncDeps) {
  const { config, database, clock } = deps
  return {
    beginAggregatorSync: async (run: Run): Promise<Begun | null> => {
      if (!config.aggregatorEnabled) return null
      const begin = (sync: ItemSync) => beginItemSync(sync, { now: clock(), runId: run.runId })
      return beginRun(database, { store: itemSyncs, run, begin })
    },
    syncItem: (run: BegunRun): Promise<Step<object>> =>
      runItemStep(deps, run, (opened) => syncItem(deps, run, opened)),
    endAggregatorSync: async (of: Run & { outcome: ItemOutcome }): Promise<void> => {
      const isAnnounced = config.webhooksEnabled
      const ended = await database.transaction((tx) =>
        changeRunning(tx, of, (sync) => endItemSync(sync, { ...of, isAnnounced, now: clock() })),
      )
      if (ended) publishStatus(deps, ended)
    },
  }
}

/** Updates the bank accounts from the item, and the status of the link. */
async function syncItem(deps: SyncDeps, run: BegunRun, opened: OpenedSync): Promise<Step<object>> {
  const { database, clock, config } = deps
  const asOf = clock()
  const { read, knownIds } = await refreshItem(deps, run, opened)
  const { errorCode, consentExpiresAt } = read
  const { webhookUrl } = aggregatorAddresses(config)
  const isOther = webhookUrl !== null && webhookUrl !== read.webhookUrl
  if (isOther) await opened.aggregator.setWebhook(opened.item, webhookUrl, callBy())
  const stated = await database.transaction((tx) =>
    changeRunning(tx, run, (sync) => {
      const now = clock()
      const synced = {
        ...requestReread(requestSkipped(sync, knownIds, now), now),
        lastAccountSync: now,
        webhookUrl: isOther ? webhookUrl : read.webhookUrl,
      }
      const statement = { kind: 'read' as const, errorCode, consentExpiresAt, asOf }
      return applyStatement(synced, statement, now)
    }),
  )
  if (!stated) return { kind: 'gone' }
  publishStatus(deps, stated)
  return { kind: 'done' }
}

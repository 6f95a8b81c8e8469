import type { Transaction } from '@coffer/kit/database/database'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { createSyncStore } from '@coffer/sync-kit/syncs/sync-store.sql'
import { sql } from 'slonik'
import { LinkKey } from '../connections/aggregator-link.ts'
import { emitNotice } from '../connections/notice.sql.ts'
import { ItemSync } from './item-sync.ts'
import { loopFields } from './loop.ts'

/** The stored syncs of aggregator links. A revoked link is synced only on request. */
export const itemSyncs = createSyncStore({
  table: 'aggregator_links',
  row: ItemSync,
  key: LinkKey,
  id: 'linkId',
  changed: [
    'status',
    'errorCode',
    'expirationDate',
    'statusAsOf',
    'noticedFor',
    'webhookUrl',
    'lastAccountSync',
    'windowRequestedAt',
    'syncCount',
    ...loopFields,
  ],
  isScheduled: sql.fragment`status NOT IN ('creating', 'revoked')`,
  isRequestable: sql.fragment`status NOT IN ('creating', 'deactivated')`,
  isInUse: sql.fragment`deleted_at IS NULL`,
  tell: (save, objects) => objectsChanged(ObjectsChangedSchema, save, objects),
})

/** Changes a link during its sync; returns null if the sync has ended or another one has begun. */
export async function changeRunning(
  tx: Transaction,
  run: LinkKey & { runId: string },
  change: (sync: ItemSync) => ItemSync,
): Promise<{ before: ItemSync; after: ItemSync } | null> {
  const before = await itemSyncs.lock(tx, run)
  if (before?.syncRunId !== run.runId) return null
  const after = await emitNotice(tx, { before, after: change(before) })
  await itemSyncs.save(tx, after)
  return { before, after }
}

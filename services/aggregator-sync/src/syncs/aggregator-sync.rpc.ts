import { isLapsed } from '@coffer/kit/accounts/subscription.sql'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import type { SyncedBankAccount } from '@coffer/proto/ledger/v1/sync_import'
import {
  BankAccountSyncHealthSchema,
  SyncCallsSchema,
  type SyncHealth,
  SyncHealthSchema,
} from '@coffer/proto/sync/v1/health'
import { type LedgerDeps, listSyncedAccounts } from '@coffer/sync-kit/ledger/ledger.client'
import { toArrival, toError, toFormerHealth } from '@coffer/sync-kit/syncs/sync-health'
import { findNextAttempt } from '@coffer/sync-kit/syncs/sync-state'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { type CallCounts, findCallCounts } from '../provider/call-limit.sql.ts'
import { describeFault } from '../provider/plaid-fault.ts'
import { itemRequests } from './item-requests.service.ts'
import { itemSyncs } from './item-sync.sql.ts'
import type { ItemSync } from './item-sync.ts'
import type { SyncDeps } from './sync-step.service.ts'

type Deps = LedgerDeps & Pick<SyncDeps, 'database' | 'clock'>

/** Returns the RPC handlers of syncs (docs/banks/aggregator.md#syncs). */
export function aggregatorSyncRoutes(deps: Deps): ServiceImpl<typeof AggregatorSyncService> {
  const { database, clock } = deps
  return {
    requestAggregatorSync: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      const key = { accountId, linkId }
      await database.transaction((tx) =>
        itemRequests.request(tx, key, { now: clock(), by: 'user' }),
      )
      return {}
    },
    getHealth: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      return { health: await readHealth(deps, { accountId, linkId }) }
    },
    // until 0.4: gateways of 0.2 call this in place of `getHealth`.
    getAggregatorHealth: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      return { health: toFormerHealth(await readHealth(deps, { accountId, linkId })) }
    },
  }
}

async function readHealth(deps: Deps, key: LinkKey): Promise<SyncHealth> {
  const { database, clock } = deps
  const sync = await itemSyncs.find(database, key)
  if (!sync) throw notFound('aggregator link')
  const now = clock()
  const isScheduled = !(await isLapsed(database, key.accountId, now))
  const calls = await findCallCounts(database, key, now)
  const bankAccounts = await listBankAccounts(deps, key)
  return toHealth(sync, { isScheduled, calls, bankAccounts })
}

/** Returns the bank accounts of a link; none if it is deleted. */
async function listBankAccounts(deps: Deps, key: LinkKey): Promise<SyncedBankAccount[]> {
  try {
    return await listSyncedAccounts(deps, key)
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unavailable) throw error
    return []
  }
}

function toHealth(
  sync: ItemSync,
  of: {
    isScheduled: boolean
    calls: CallCounts | null
    bankAccounts: readonly SyncedBankAccount[]
  },
) {
  return toMessage(SyncHealthSchema, {
    linkId: sync.linkId,
    status: sync.status,
    isSyncing: sync.syncRunId !== null,
    lastAttempt: sync.lastAttemptedUpdate,
    lastSuccess: sync.lastSuccessfulUpdate,
    nextAttempt: of.isScheduled ? findNextAttempt(sync) : null,
    failuresInRow: sync.failuresInRow,
    lastError: toError(sync, describeFault),
    lastArrival: toArrival(sync),
    bankAccounts: of.bankAccounts.map((one) => toBankAccount(sync, one)),
    errorCode: sync.errorCode,
    consentExpiresAt: sync.expirationDate,
    calls: of.calls && toMessage(SyncCallsSchema, of.calls),
  })
}

function toBankAccount(sync: ItemSync, { bankAccountId, status }: SyncedBankAccount) {
  return toMessage(BankAccountSyncHealthSchema, {
    bankAccountId,
    status,
    lastSuccess: sync.lastSuccessfulUpdate,
    syncCount: sync.syncCount,
  })
}

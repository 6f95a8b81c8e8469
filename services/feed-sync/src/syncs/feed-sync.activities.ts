import { systemUserId } from '@coffer/kit/rpc/caller'
import { dayMs } from '@coffer/kit/values/time'
import { listSyncedAccounts, refreshAccounts } from '@coffer/sync-kit/ledger/ledger.client'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import type { SyncOutcome } from '@coffer/sync-kit/syncs/sync-state'
import { beginRun } from '@coffer/sync-kit/syncs/sync-step.service'
import { updateOffered } from '../candidates/feed-bank-account.sql.ts'
import type { CandidateSync } from '../candidates/feed-bank-account.ts'
import { addCandidates } from '../candidates/feed-refresh.service.ts'
import type { FeedAnswers } from '../provider/feed-answer.ts'
import type { FeedFault } from '../provider/feed-fault.ts'
import { readDiscovery } from '../provider/lunch-flow.ts'
import {
  feedSyncs,
  listCandidatesInUse,
  storeCandidateFault,
  storeLinkFault,
} from './feed-sync.sql.ts'
import { beginFeedSync, endFeedSync, type FeedSync } from './feed-sync.ts'
import type { AccountToSync, Run } from './feed-sync-run.ts'
import {
  type OpenedSync,
  publishError,
  publishStatus,
  runFeedStep,
  type SyncDeps,
} from './sync-step.service.ts'

type ListRun = Run & { isManual: boolean }
type Listed = { accounts: AccountToSync[]; leftOut: number; today: string }
type OfferedAccounts = FeedAnswers['accounts']
type Used = CandidateSync & { bankAccountId: string }

/** Returns the idempotent activities that begin, list and end a sync of a link. */
export function feedSyncActivities(deps: SyncDeps) {
  const { config, database, clock } = deps
  return {
    beginFeedSync: async (run: Run): Promise<{ isManual: boolean } | null> => {
      if (!config.feedEnabled) return null
      const begin = (sync: FeedSync) => beginFeedSync(sync, { now: clock(), runId: run.runId })
      return beginRun(database, { store: feedSyncs, run, begin })
    },
    syncFeedAccounts: (run: ListRun): Promise<Step<Listed>> =>
      runFeedStep(deps, run, {
        store: (fault) => storeListFault(deps, run, fault),
        work: (opened) => syncAccounts(deps, run, opened),
      }),
    endFeedSync: async (of: Run & { outcome: SyncOutcome; unended: string[] }): Promise<void> => {
      const ended = await database.transaction(async (tx) => {
        const before = await feedSyncs.lock(tx, of)
        if (!before) return null
        const used = await listCandidatesInUse({ pool: tx }, of)
        const after = endFeedSync(before, { ...of, used, now: clock() })
        if (after !== before) await feedSyncs.save(tx, after)
        return after
      })
      const { faultCode, faultDetail } = ended ?? {}
      if (!faultCode) return
      const fault = { code: faultCode, detail: faultDetail ?? '' }
      for (const bankAccountId of of.unended) publishError(deps, { ...of, bankAccountId }, fault)
    },
  }
}

async function storeListFault(deps: SyncDeps, run: ListRun, fault: FeedFault): Promise<void> {
  await storeLinkFault(deps.database, run, { fault, now: deps.clock() })
  // No error is published yet: the workflow repeats this step after the pause that the provider
  // asks for.
  if (fault.code === 'rate-limited') return
  for (const { bankAccountId } of await listCandidatesInUse(deps.database, run)) {
    if (bankAccountId !== null) publishError(deps, { ...run, bankAccountId }, fault)
  }
}

// Timeouts in ms of the list of bank accounts, and of the balances of all new ones; a balance that
// is not read by then is 0.
const listMs = 120_000
const balancesMs = 60_000

/** Stores the provider's list of accounts; returns the bank accounts to sync. */
async function syncAccounts(
  deps: SyncDeps,
  run: ListRun,
  { sync, feed }: OpenedSync,
): Promise<Step<Listed>> {
  const { database, clock } = deps
  const list = await feed.listAccounts(AbortSignal.timeout(listMs))
  const found = { feedLink: sync, feed, createdBy: systemUserId, rows: list.rows }
  await addCandidates(deps, { ...found, signal: AbortSignal.timeout(balancesMs) })
  const discoveries = list.rows.map((row) => readDiscovery(row, null))
  await updateOffered(database, run, { discoveries, now: clock() })
  const used = await refreshUsed(deps, run, list)
  const now = clock()
  const accounts: AccountToSync[] = []
  let leftOut = 0
  for (const candidate of used) {
    const { bankAccountId, feedBankAccountId } = candidate
    const fault = faultIn(candidate, list)
    if (fault !== null) {
      const of = { ...run, bankAccountId, feedBankAccountId }
      await storeCandidateFault(database, of, { fault, now })
      publishError(deps, of, fault)
      leftOut += 1
    } else if (candidate.status === 'active' || run.isManual) {
      const isWhole = run.isManual || isWholeDue(candidate, now)
      accounts.push({ bankAccountId, feedBankAccountId, isWhole })
      publishStatus(deps, { ...run, bankAccountId }, 'begin')
    } else {
      leftOut += 1
    }
  }
  return { kind: 'done', accounts, leftOut, today: now.toISOString().slice(0, 10) }
}

// Maximum number of accounts in a call of UpsertBankAccounts.
const upsertMax = 500

/**
 * Updates the link's bank accounts in the ledger from the provider's list. Returns the candidates
 * with a bank account that is not archived. Throws notFound for a deleted link.
 */
async function refreshUsed(
  deps: SyncDeps,
  run: ListRun,
  { rows, isComplete }: OfferedAccounts,
): Promise<Used[]> {
  const { accountId, linkId } = run
  const synced = await listSyncedAccounts(deps, run)
  const live = synced.flatMap((one) => (one.isArchived ? [] : one.bankAccountId))
  const used = (await listCandidatesInUse(deps.database, run)).flatMap((candidate) => {
    const { bankAccountId } = candidate
    const isLive = bankAccountId !== null && live.includes(bankAccountId)
    return isLive ? { ...candidate, bankAccountId } : []
  })
  const offered = new Set(rows.map(({ id }) => id))
  const listed = used.filter(({ feedId }) => offered.has(feedId))
  // A live bank account whose candidate is not in use yet was just created: the list without it
  // must not count as complete.
  const isAll = rows.length > 0 && used.length === live.length && listed.length <= upsertMax
  for (let start = 0; start < listed.length || start === 0; start += upsertMax) {
    const accounts = listed.slice(start, start + upsertMax).map(toProviderAccount)
    await refreshAccounts(deps, accountId, { linkId, accounts, isComplete: isComplete && isAll })
  }
  return used
}

function toProviderAccount({ feedId, feedBankAccountId, name, currency }: Used) {
  return {
    providerAccountId: feedId,
    feedBankAccountId,
    name,
    currency,
    accountType: 'depository',
    accountSubType: 'checking',
  }
}

/** Returns the fault that excludes a bank account from syncs; null if it can be synced. */
function faultIn(
  { feedId, feedStatus }: Used,
  { rows, isComplete }: OfferedAccounts,
): FeedFault | null {
  const isMissing = isComplete && rows.every(({ id }) => id !== feedId)
  if (isMissing) return { code: 'account-missing', detail: '', retryAfterMs: null }
  if (feedStatus === 'ACTIVE') return null
  return { code: 'disconnected', detail: feedStatus, retryAfterMs: null }
}

const wholeMs = 7 * dayMs

/** Returns whether the last read of the whole list is over a week ago. */
function isWholeDue({ lastWholeAt }: CandidateSync, now: Date): boolean {
  return lastWholeAt === null || lastWholeAt.getTime() < now.getTime() - wholeMs
}

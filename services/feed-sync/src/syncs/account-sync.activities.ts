import {
  importTransactions,
  listSyncedAccounts,
  removeTransactions,
} from '@coffer/sync-kit/ledger/ledger.client'
import { emptyTally } from '@coffer/sync-kit/ledger/tally'
import { lastDayOf, parseBalance } from '@coffer/sync-kit/provider/row-values'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { saveCurrentBalance } from '../candidates/feed-bank-account.sql.ts'
import { endCandidateSync } from '../candidates/feed-bank-account.ts'
import type { DayRange } from '../provider/day-range.ts'
import { faultOf, feedFailure } from '../provider/feed-fault.ts'
import { batchRows, selectRows } from './feed-row.ts'
import {
  listCandidatesInUse,
  lockCandidateSync,
  saveCandidateSync,
  storeCandidateFault,
} from './feed-sync.sql.ts'
import type { AccountEnding, AccountRun, Page, PageResult } from './feed-sync-run.ts'
import {
  daysListed,
  findMissing,
  type Opened,
  requireMostListed,
  sendAll,
} from './known-rows.service.ts'
import { setBalances } from './ledger.client.ts'
import { publishError, publishStatus, runFeedStep, type SyncDeps } from './sync-step.service.ts'

type Removal = AccountRun & { missing: string[] }

/** Returns the idempotent activities that sync one bank account. */
export function accountSyncActivities(deps: SyncDeps) {
  return {
    importFeedPage: (page: Page): Promise<Step<PageResult>> =>
      runOfAccount(deps, page, (opened) => importPage(deps, page, opened)),
    removeMissing: (of: Removal): Promise<Step<{ removed: number }>> =>
      runOfAccount(deps, of, (opened) => removeMissing(deps, of, opened)),
    syncFeedBalance: (of: AccountRun): Promise<Step<object>> =>
      runOfAccount(deps, of, (opened) => syncBalance(deps, of, opened)),
    endFeedAccount: (of: AccountRun & { ending: AccountEnding; isWhole: boolean }) =>
      endAccount(deps, of),
  }
}

/** Runs a step with the bank account; returns `gone` if it is archived. */
function runOfAccount<Result>(
  deps: SyncDeps,
  of: AccountRun,
  work: (opened: Opened) => Promise<Step<Result>>,
): Promise<Step<Result>> {
  const { database, clock } = deps
  return runFeedStep(deps, of, {
    store: (fault) => storeCandidateFault(database, of, { fault, now: clock() }),
    work: async (opened) => {
      const used = await listCandidatesInUse(database, of)
      const candidate = used.find((one) => one.feedBankAccountId === of.feedBankAccountId)
      const synced = await listSyncedAccounts(deps, of)
      const bankAccount = synced.find((one) => one.bankAccountId === of.bankAccountId)
      const isUsed = candidate?.bankAccountId === of.bankAccountId
      if (!isUsed || !bankAccount || bankAccount.isArchived) return { kind: 'gone' }
      return work({ ...opened, candidate, currency: bankAccount.currency })
    },
  })
}

const wholeRange: DayRange = { from: null, to: null }

/** Imports the transactions of some days; returns counts, and IDs that the provider lacks. */
async function importPage(deps: SyncDeps, page: Page, opened: Opened): Promise<Step<PageResult>> {
  if (page.isFirst) publishStatus(deps, page, 'transactions')
  const list = await listTransactions(deps, page, opened)
  if (list === 'too-large') {
    return { kind: 'done', ...emptyTally(), missing: [], rows: 0, isTooLarge: true }
  }
  const { skipped, ids, rows, isComplete } = list
  if (isComplete) await requireMostListed(deps, page, { list, opened })
  const counts = await sendAll(deps, page, {
    batches: batchRows(list),
    opened,
    send: importTransactions,
  })
  const missing = isComplete ? await findMissing(deps, daysListed(page, list), ids) : []
  const total = { ...counts, skipped: counts.skipped + skipped }
  return { kind: 'done', ...total, missing, rows, isTooLarge: false }
}

const listMs = 180_000

/** Reads the provider's transactions of some days; `too-large` beyond its bound. */
async function listTransactions(
  { clock }: SyncDeps,
  { range }: { range: DayRange },
  { feed, candidate, currency }: Opened,
) {
  const signal = AbortSignal.timeout(listMs)
  try {
    const list = await feed.listTransactions(candidate.feedId, range, signal)
    const { rows, isComplete, unreadable } = list
    const selected = selectRows(rows, { currency, lastDay: lastDayOf(clock()) })
    const skipped = selected.skipped + unreadable
    // An incomplete list may lack transactions of any day, so no day counts as read in full.
    const readableDays = isComplete ? selected.readableDays : new Set<string>()
    return { ...selected, skipped, readableDays, rows: rows.length, isComplete }
  } catch (error) {
    if (faultOf(error)?.code === 'too-large') return 'too-large'
    throw error
  }
}

/**
 * Removes transactions that the provider's whole list still lacks. Reading the list a second time
 * keeps transactions that moved to another day, or were missing only temporarily.
 */
async function removeMissing(
  deps: SyncDeps,
  of: Removal,
  opened: Opened,
): Promise<Step<{ removed: number }>> {
  const list = await listTransactions(deps, { range: wholeRange }, opened)
  if (list === 'too-large' || !list.isComplete) return { kind: 'done', removed: 0 }
  await requireMostListed(deps, { ...of, range: wholeRange }, { list, opened })
  const gone = of.missing.filter((id) => !list.ids.has(id))
  if (gone.length === 0) return { kind: 'done', removed: 0 }
  const { accountId, bankAccountId } = of
  const request = { bankAccountId, providerTransactionIds: gone }
  const removed = await removeTransactions(deps, accountId, request)
  // Imports pending rows again, which become visible when their posted transaction is removed
  // (docs/syncs.md#removal).
  const batches = [...batchRows(list)].filter(({ rows }) => rows.some((row) => row.isPending))
  await sendAll(deps, of, { batches, opened, send: importTransactions })
  return { kind: 'done', removed }
}

const balanceMs = 120_000

/** Sets the available and the current balance to the provider's. */
async function syncBalance(
  deps: SyncDeps,
  of: AccountRun,
  { feed, candidate, currency }: Opened,
): Promise<Step<object>> {
  publishStatus(deps, of, 'balances')
  const stated = await feed.readBalance(candidate.feedId, AbortSignal.timeout(balanceMs))
  const statedCurrency = stated.currency?.trim().toUpperCase() || currency
  if (statedCurrency !== currency) {
    // Only a currency code is quoted: a faulty provider may send anything here, even the API key.
    const other = /^[A-Z]{3}$/.test(statedCurrency) ? statedCurrency : 'no currency code'
    throw feedFailure('currency', { detail: `${other}, not ${currency}` })
  }
  const balance = parseBalance(stated.amount, currency)
  if (balance === null) throw feedFailure('unreadable', { detail: 'a balance' })
  const { accountId, bankAccountId } = of
  const balances = { availableBalance: balance, currentBalance: balance }
  await setBalances(deps, accountId, { bankAccountId, ...balances })
  if (balance !== candidate.currentBalance) {
    await saveCurrentBalance(deps.database, { ...candidate, currentBalance: balance })
  }
  return { kind: 'done' }
}

// Completes the text 'the feed provider sent …'.
const tooLarge = 'more data than a sync reads (200,000 transactions, 10 MiB for one day)'

/** Counts the sync of a bank account, and closes the sockets that show its progress. */
async function endAccount(
  deps: SyncDeps,
  of: AccountRun & { ending: AccountEnding; isWhole: boolean },
): Promise<void> {
  const { database, clock } = deps
  const now = clock()
  const isComplete = of.ending === 'complete'
  if (of.ending === 'too-large') {
    const fault = { code: of.ending, detail: tooLarge, retryAfterMs: null }
    await storeCandidateFault(database, of, { fault, now })
  }
  const ended = await database.transaction(async (tx) => {
    const before = await lockCandidateSync(tx, of)
    if (!before) return null
    const after = endCandidateSync(before, { ...of, isComplete, now })
    if (after !== before) await saveCandidateSync(tx, after)
    return after
  })
  if (isComplete) return publishStatus(deps, of, 'complete')
  const { faultCode, faultDetail } = ended ?? {}
  publishError(deps, of, { code: faultCode ?? 'internal', detail: faultDetail ?? '' })
}

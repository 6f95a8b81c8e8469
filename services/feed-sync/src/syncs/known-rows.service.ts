import { type importTransactions, listLiveIds } from '@coffer/sync-kit/ledger/ledger.client'
import { countIn, emptyTally } from '@coffer/sync-kit/ledger/tally'
import type { CandidateSync } from '../candidates/feed-bank-account.ts'
import type { DayRange } from '../provider/day-range.ts'
import { feedFailure } from '../provider/feed-fault.ts'
import { batchRows, type ReadableRows, type RowBatch, toProviderTransaction } from './feed-row.ts'
import { hasFormerCandidate } from './feed-sync.sql.ts'
import { lacksMost } from './feed-sync.ts'
import type { AccountRun, Page } from './feed-sync-run.ts'
import { countReplaced } from './ledger.client.ts'
import type { OpenedSync, SyncDeps } from './sync-step.service.ts'

/**
 * A sync of one bank account: its connection, the client of the provider, and its candidate (the
 * bank account as the feed offers it).
 */
export interface Opened extends OpenedSync {
  candidate: CandidateSync
  currency: string
}

type Sending = { batches: Iterable<RowBatch>; opened: Opened; send: typeof importTransactions }

/**
 * Sends rows in batches, with pauses for other work; returns the sum of the counts. A batch is
 * converted when it is sent: converting all at once would take twice the memory.
 */
export async function sendAll(deps: SyncDeps, of: AccountRun, { batches, opened, send }: Sending) {
  const { accountId, bankAccountId } = of
  const { candidate, currency } = opened
  using work = deps.load.begin(of)
  const total = emptyTally()
  for (const { rows, wholeDays } of batches) {
    const transactions = rows.map((row) => toProviderTransaction(row, currency))
    const request = { bankAccountId, providerAccountId: candidate.feedId, transactions, wholeDays }
    const counts = await work.run(() => send(deps, accountId, request))
    countIn(total, counts)
  }
  return total
}

type Listed = Omit<ReadableRows, 'skipped'>

/**
 * Narrows the days of a page to the days since the oldest listed transaction. Providers keep only
 * some months or years, so older transactions are not missing.
 */
export function daysListed<Of extends { range: DayRange }>(
  of: Of,
  { readable }: Pick<Listed, 'readable'>,
): Of {
  const { from, to } = of.range
  return { ...of, range: { from: readable[0]?.date ?? from, to } }
}

const missingMax = 200
const knownMax = 10

/**
 * Throws the fault `other-account`, before anything is imported or removed, if the list seems to be
 * that of another account (docs/banks/feed.md#candidates): the bank account was attached to this
 * candidate and not synced since, and the list has none of its transactions, even under other IDs.
 */
async function requireSameAccount(
  deps: SyncDeps,
  of: AccountRun,
  { list, opened, range }: { list: Listed; opened: Opened; range: DayRange },
): Promise<void> {
  const isWhole = range.from === null && range.to === null
  if (!isWhole || opened.candidate.lastSyncedAt !== null) return
  if (!(await hasFormerCandidate(deps.database, of))) return
  const listed = daysListed({ range }, list)
  let known = 0
  for await (const ids of listLiveIds(deps, of.accountId, { ...of, ...listed.range })) {
    known += ids.length
    if (ids.some((id) => list.ids.has(id))) return
  }
  if (known === 0) return
  const batches = batchRows(list)
  const { matched } = await sendAll(deps, of, { batches, opened, send: countReplaced })
  if (matched === 0) throw feedFailure('other-account', { detail: `${known}` })
}

/**
 * Throws a fault if the list is implausible: it is empty although the ledger has more than ten
 * transactions, or it lacks more than half of them and more than 100, even under other IDs. Reads a
 * page of 500 at a time and stops when most are listed. Throws the fault of another account too.
 */
export async function requireMostListed(
  deps: SyncDeps,
  { range, ...of }: AccountRun & { range: DayRange },
  { list, opened }: { list: Listed; opened: Opened },
): Promise<void> {
  await requireSameAccount(deps, of, { list, opened, range })
  const isEmpty = list.ids.size === 0
  if (isEmpty && (range.from !== null || range.to !== null)) return
  const listed = daysListed({ range }, list)
  let [known, missing] = [0, 0]
  for await (const ids of listLiveIds(deps, of.accountId, { ...of, ...listed.range })) {
    known += ids.length
    missing += ids.filter((id) => !list.ids.has(id)).length
    if (isEmpty && missing > knownMax) throw feedFailure('empty-list', { detail: `${missing}` })
    if (!lacksMost(missing, known)) return
  }
  const batches = batchRows(list)
  const { matched } = await sendAll(deps, of, { batches, opened, send: countReplaced })
  if (lacksMost(missing - matched, known)) {
    throw feedFailure('short-list', { detail: `${missing - matched} of ${known}` })
  }
}

/** Returns provider IDs of live records of some days that a list does not contain, at most 200. */
export async function findMissing(
  deps: SyncDeps,
  { range, ...of }: Page,
  listed: ReadonlySet<string>,
): Promise<string[]> {
  const missing: string[] = []
  for await (const ids of listLiveIds(deps, of.accountId, { ...of, ...range })) {
    missing.push(...ids.filter((id) => !listed.has(id)))
    if (missing.length >= missingMax) break
  }
  return missing.slice(0, missingMax)
}

import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { StoredFaultCode } from '../connections/feed-link.ts'
import type { Discovery } from '../provider/lunch-flow.ts'

/** A candidate: a bank account that a feed connection offers (docs/banks/feed.md#candidates). */
export const FeedBankAccount = z.object({
  accountId: z.string(),
  feedBankAccountId: z.string(),
  feedLinkId: z.string(),
  /** ID of the bank account at the feed provider, in the provider's format. */
  feedId: z.string(),
  feedStatus: z.enum(values['FeedBankAccount.feedStatus']),
  name: z.string(),
  institutionName: z.string(),
  provider: z.string(),
  currency: z.string(),
  status: z.enum(values['FeedBankAccount.status']),
  /** Minor units of the currency. */
  currentBalance: z.bigint(),
  /** ID of the last bank account that used the candidate, archived or not; null if none. */
  bankAccountId: z.string().nullable(),
  /** Version of the last event about the use; 0 before the first event with a version. */
  useVersion: z.bigint(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type FeedBankAccount = z.infer<typeof FeedBankAccount>

/** A candidate with the state of the syncs of its bank account. */
export const CandidateSync = FeedBankAccount.extend({
  /** Number of ended syncs. */
  syncCount: z.bigint(),
  /** When the last complete sync ended; null if none has. */
  lastSyncedAt: z.date().nullable(),
  /** When a sync last read the whole list of transactions; null if none has. */
  lastWholeAt: z.date().nullable(),
  /** ID of the sync that was counted last. */
  endedRunId: z.string().nullable(),
  failuresInRow: z.number(),
  /** The fault of the last sync, kept until the next success; `faultDetail` completes its text. */
  faultCode: StoredFaultCode,
  faultDetail: z.string().nullable(),
  faultAt: z.date().nullable(),
})
export type CandidateSync = z.infer<typeof CandidateSync>

/** Returns a new candidate, inactive until a user creates a bank account from it. */
export function createFeedBankAccount(
  discovery: Discovery,
  by: Pick<FeedBankAccount, 'accountId' | 'feedBankAccountId' | 'feedLinkId' | 'createdBy'> & {
    now: Date
  },
): FeedBankAccount {
  const { now, ...owner } = by
  return {
    ...owner,
    ...discovery,
    status: 'inactive',
    bankAccountId: null,
    useVersion: 0n,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
}

/** A bank account that uses or used a candidate, and the version of the event; 0 if unknown. */
export type Use = { bankAccountId: string; version: bigint }

/**
 * Returns the candidate as active with a new bank account. Idempotent: an event whose version is
 * not above the last one is repeated or late, and changes nothing. Without versions, the bank
 * account with the largest ID is the current one.
 */
export function activateFeedBankAccount(
  candidate: FeedBankAccount,
  use: Use,
  now: Date,
): FeedBankAccount {
  const isNewer = (candidate.bankAccountId ?? '') < use.bankAccountId
  return used(candidate, use, { isNewer, status: 'active', now })
}

/**
 * Returns the candidate as inactive, after its bank account was archived or attached to another
 * candidate. Idempotent like `activateFeedBankAccount`: the event of the bank account's creation
 * may arrive later, and changes nothing then.
 */
export function deactivateFeedBankAccount(
  candidate: FeedBankAccount,
  use: Use,
  now: Date,
): FeedBankAccount {
  const last = candidate.bankAccountId ?? ''
  const isUsed = last === use.bankAccountId && candidate.status !== 'inactive'
  return used(candidate, use, {
    isNewer: last < use.bankAccountId || isUsed,
    status: 'inactive',
    now,
  })
}

function used(
  candidate: FeedBankAccount,
  { bankAccountId, version }: Use,
  to: { isNewer: boolean; status: 'active' | 'inactive'; now: Date },
): FeedBankAccount {
  const { isNewer, status, now } = to
  const isLater = version > 0n ? version > candidate.useVersion : isNewer
  if (!isLater) return candidate
  const useVersion = version > 0n ? version : candidate.useVersion
  const isInUse = candidate.status !== 'inactive'
  const isSame = candidate.bankAccountId === bankAccountId && isInUse === (status === 'active')
  // The gateway's call has made this change before the event arrived. Only the version is new: a
  // status `error` that was set in between stays.
  if (isSame) return { ...candidate, useVersion }
  return { ...candidate, bankAccountId, useVersion, status, updatedAt: now }
}

/** Number of failures in a row after which only requested syncs include a bank account. */
const failuresMax = 5

/**
 * Counts a sync of the candidate's bank account, once. The fifth failure in a row sets the status
 * error, a success resets it. The failure of a requested sync counts only if none precedes it. A
 * candidate that became inactive during the sync stays inactive.
 */
export function endCandidateSync(
  candidate: CandidateSync,
  of: { runId: string; isManual: boolean; isComplete: boolean; isWhole: boolean; now: Date },
): CandidateSync {
  const { runId, isManual, isComplete, isWhole, now } = of
  if (candidate.endedRunId === runId) return candidate
  const { status, syncCount, lastWholeAt } = candidate
  const counted = { ...candidate, endedRunId: runId, syncCount: syncCount + 1n, updatedAt: now }
  const failures = candidate.failuresInRow
  const failuresInRow = isComplete ? 0 : isManual ? Math.max(failures, 1) : failures + 1
  const usedStatus = failuresInRow >= failuresMax ? 'error' : isComplete ? 'active' : status
  const end = { ...counted, failuresInRow, status: status === 'inactive' ? status : usedStatus }
  if (!isComplete) return end
  return {
    ...end,
    lastSyncedAt: now,
    lastWholeAt: isWhole ? now : lastWholeAt,
    faultCode: null,
    faultDetail: null,
    faultAt: null,
  }
}

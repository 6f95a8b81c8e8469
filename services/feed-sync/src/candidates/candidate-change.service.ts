import type { ServiceDeps } from '@coffer/kit/service/service'
import type { settings } from '../config.ts'
import {
  forgetSyncs,
  lockConnectionOf,
  lockFeedBankAccount,
  saveFeedBankAccount,
  scheduleSoon,
} from './feed-bank-account.sql.ts'
import type { FeedBankAccount, Use } from './feed-bank-account.ts'

/**
 * A candidate (a bank account that a feed offers), and the bank account that uses or used it; older
 * events have no `version`.
 */
interface CandidateUse {
  accountId: string
  feedBankAccountId: string
  bankAccountId: string
  version?: bigint
}

/**
 * Locks a candidate, applies `decide` and saves it. If the candidate got a bank account, the next
 * sync of its connection becomes due. Returns the candidate, null if it does not exist.
 */
export async function changeCandidate(
  { database, clock }: Pick<ServiceDeps<typeof settings>, 'database' | 'clock'>,
  { accountId, feedBankAccountId, bankAccountId, version = 0n }: CandidateUse,
  decide: (candidate: FeedBankAccount, use: Use, now: Date) => FeedBankAccount,
): Promise<FeedBankAccount | null> {
  const now = clock()
  return database.transaction(async (tx) => {
    await lockConnectionOf(tx, { accountId, feedBankAccountId })
    const before = await lockFeedBankAccount(tx, accountId, feedBankAccountId)
    if (!before) return null
    const after = decide(before, { bankAccountId, version }, now)
    if (after === before) return before
    await saveFeedBankAccount(tx, after)
    if (after.bankAccountId !== before.bankAccountId) await forgetSyncs(tx, after)
    if (after.status === 'active' && before.status !== 'active') await scheduleSoon(tx, after, now)
    return after
  })
}

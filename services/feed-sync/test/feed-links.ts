import type { Booted } from '@coffer/host/testing/boot'
import type { Transaction } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { FeedBankAccountService } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import { insertFeedBankAccounts } from '../src/candidates/feed-bank-account.sql.ts'
import { createFeedBankAccount } from '../src/candidates/feed-bank-account.ts'
import { feedSyncs } from '../src/syncs/feed-sync.sql.ts'
import type { FeedSync, FeedSyncKey } from '../src/syncs/feed-sync.ts'

export const feedUrl = 'https://feed.example/v1'

interface Use {
  feedBankAccountId: string
  bankAccountId: string
}

export interface Linked {
  key: FeedSyncKey
  as: ReturnType<Booted['as']>
  /** Changes the stored state of the connection. */
  change: (to: Partial<FeedSync>) => Promise<void>
  request: () => Promise<unknown>
  health: () => Promise<NonNullable<Awaited<ReturnType<typeof healthOf>>>>
  /** Creates a candidate with a bank account. */
  use: () => Promise<Use>
  activate: (use: Use) => Promise<unknown>
}

/** Creates a feed connection; unless `isPending`, a link uses it. */
export async function createLinked(
  booted: Booted,
  {
    isPending = false,
    accountId = newId('acct'),
  }: { isPending?: boolean; accountId?: string } = {},
): Promise<Linked> {
  const as = booted.as(accountId)
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  const request = { name: 'Home', feedUrl, apiKey: 'secretKey123' }
  const feedLinkId = (await feedLinks.createFeedLink(request, as)).feedLink?.feedLinkId ?? ''
  const key = { accountId, feedLinkId, linkId: newId('link') }
  if (!isPending) await feedLinks.activateFeedLink(key, as)
  const database = booted.database('feed-sync')
  const candidates = booted.client('feed-sync', FeedBankAccountService)
  const activate = (use: Use) => candidates.activateFeedBankAccount(use, as)
  return {
    key,
    as,
    change: (to) => database.transaction((tx) => changeSync(tx, key, to)),
    request: () => booted.client('feed-sync', FeedSyncService).requestFeedSync(key, as),
    health: async () => {
      const found = await healthOf(booted, { as, key })
      if (!found) throw new Error('no health')
      return found
    },
    use: async () => {
      const use = { feedBankAccountId: newId('lbac'), bankAccountId: newId('bac') }
      await database.transaction((tx) => insertFeedBankAccounts(tx, [candidateOf(key, use)]))
      await activate(use)
      return use
    },
    activate,
  }
}

async function healthOf(booted: Booted, { as, key }: Pick<Linked, 'as' | 'key'>) {
  return (await booted.client('feed-sync', FeedSyncService).getHealth(key, as)).health
}

async function changeSync(tx: Transaction, key: FeedSyncKey, to: Partial<FeedSync>): Promise<void> {
  const sync = await feedSyncs.lock(tx, key)
  if (!sync) throw new Error('no feed link')
  await feedSyncs.save(tx, { ...sync, ...to })
}

function candidateOf(
  { accountId, feedLinkId }: FeedSyncKey,
  { feedBankAccountId }: { feedBankAccountId: string },
) {
  return createFeedBankAccount(
    {
      feedId: feedBankAccountId,
      feedStatus: 'ACTIVE',
      name: 'Checking',
      institutionName: 'Bank',
      provider: 'mx',
      currency: 'USD',
      currentBalance: 5n,
    },
    { accountId, feedBankAccountId, feedLinkId, createdBy: 'user_me', now: new Date() },
  )
}

import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { settings } from '../config.ts'
import { type FeedDeps, openFeed } from '../connections/feed.service.ts'
import { lockFeedLink } from '../connections/feed-link.sql.ts'
import type { FeedLink } from '../connections/feed-link.ts'
import type { Feed } from '../provider/lunch-flow.client.ts'
import { type Discovery, type OfferedAccount, readDiscovery } from '../provider/lunch-flow.ts'
import { insertFeedBankAccounts, listFeedIds } from './feed-bank-account.sql.ts'
import { createFeedBankAccount } from './feed-bank-account.ts'

type Deps = FeedDeps & Pick<ServiceDeps<typeof settings>, 'log' | 'clock'>

// Timeout of a refresh: longer than two attempts to read the list of bank accounts, shorter than
// the 20 s after which the gateway gives up.
const refreshMs = 15_000

const newMax = 200
const balancesAtOnce = 8

/**
 * Stores up to 200 bank accounts of the provider that are not yet candidates
 * (docs/banks/feed.md#refresh). Throws refused for a feed connection that has ended or whose URL
 * is no longer allowed, and refused with status 500 if the provider fails or rejects the key.
 */
export async function refreshCandidates(
  deps: Deps,
  { feedLink, createdBy, signal }: { feedLink: FeedLink; createdBy: string; signal: AbortSignal },
): Promise<void> {
  const feed = await openFeed(deps, feedLink)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(refreshMs)])
  const { rows } = await feed.listAccounts(deadline)
  await addCandidates(deps, { feedLink, feed, rows, createdBy, signal: deadline })
}

/**
 * Stores up to 200 bank accounts of the provider's list that are not yet candidates. A balance that
 * is unreadable, or does not arrive before `signal` aborts, is stored as 0.
 */
export async function addCandidates(
  deps: Deps,
  of: {
    feedLink: FeedLink
    feed: Feed
    rows: readonly OfferedAccount[]
    createdBy: string
    signal: AbortSignal
  },
): Promise<void> {
  const { database, clock } = deps
  const { feedLink, feed, rows, createdBy, signal } = of
  const { accountId, feedLinkId } = feedLink
  const known = new Set(await listFeedIds(database, feedLink))
  const offered = new Map(rows.map((one) => [one.id, one]))
  const fresh = [...offered.values()].filter(({ id }) => !known.has(id)).slice(0, newMax)
  const discoveries = await readBalances(deps, feed, { accounts: fresh, signal })
  if (discoveries.length === 0) return
  const now = clock()
  const candidates = discoveries.map((discovery) => {
    const feedBankAccountId = newId('lbac')
    return createFeedBankAccount(discovery, {
      accountId,
      feedBankAccountId,
      feedLinkId,
      createdBy,
      now,
    })
  })
  await database.transaction(async (tx) => {
    const current = await lockFeedLink(tx, accountId, { feedLinkId })
    // A concurrent deletion of the link deletes its candidates: no candidate may be inserted later.
    if (current?.deletedAt === null) await insertFeedBankAccounts(tx, candidates)
  })
}

/** Reads the balances of bank accounts, eight at a time. An unreadable balance is 0. */
async function readBalances(
  { log }: Deps,
  feed: Feed,
  { accounts, signal }: { accounts: OfferedAccount[]; signal: AbortSignal },
): Promise<Discovery[]> {
  const discoveries: Discovery[] = []
  const ask = async (account: OfferedAccount) => {
    const balance = await feed.readBalance(account.id, signal).catch((err) => {
      log.warn({ err, feedId: account.id }, 'reading a balance from the feed provider failed')
      return null
    })
    return readDiscovery(account, balance)
  }
  for (let start = 0; start < accounts.length; start += balancesAtOnce) {
    const some = accounts.slice(start, start + balancesAtOnce)
    discoveries.push(...(await Promise.all(some.map(ask))))
  }
  return discoveries
}

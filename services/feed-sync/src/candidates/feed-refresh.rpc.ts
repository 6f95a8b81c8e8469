import { refused } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { settings } from '../config.ts'
import { findFeedKey, lockFeedLink } from '../links/feed-link.sql.ts'
import { type FeedLink, keyOwnerOf, requireUsable } from '../links/feed-link.ts'
import { type Feed, openLunchFlow } from '../provider/lunch-flow.client.ts'
import { discover, type OfferedAccount } from '../provider/lunch-flow.ts'
import { insertFeedBankAccounts, listFeedIds } from './feed-bank-account.sql.ts'
import { createFeedBankAccount, type Discovery } from './feed-bank-account.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'secrets' | 'log' | 'clock'>

// Longer than the two attempts at the list of accounts; the gateway waits longer still.
const refreshMs = 15_000
const newMax = 200
const balancesAtOnce = 8

/**
 * Stores what the provider offers beyond the known; known candidates stay as they are. At most 200
 * are new at a time: the next refresh goes on. Throws refused, with status 500 where the provider
 * is not reached or refuses the key (spec/interface.md, Feed provider).
 */
export async function refresh(
  deps: Deps,
  { feedLink, createdBy, signal }: { feedLink: FeedLink; createdBy: string; signal: AbortSignal },
): Promise<void> {
  const { database, clock } = deps
  const { accountId, feedLinkId } = feedLink
  const feed = await open(deps, feedLink)
  const known = new Set(await listFeedIds(database, feedLink))
  const within = AbortSignal.any([signal, AbortSignal.timeout(refreshMs)])
  const offered = new Map((await feed.listAccounts(within)).map((one) => [one.id, one]))
  const fresh = [...offered.values()].filter(({ id }) => !known.has(id)).slice(0, newMax)
  const discoveries = await withBalances(deps, feed, { accounts: fresh, signal: within })
  if (discoveries.length === 0) return
  const now = clock()
  const candidates = discoveries.map((discovery) => {
    const feedBankAccountId = newId('lbac')
    return createFeedBankAccount(discovery, {
      ...{ accountId, feedBankAccountId, feedLinkId, createdBy, now },
    })
  })
  await database.transaction(async (tx) => {
    const current = await lockFeedLink(tx, accountId, feedLinkId)
    // Its link may have been deleted meanwhile, and what it offered with it.
    if (current?.deletedAt === null) await insertFeedBankAccounts(tx, candidates)
  })
}

async function open({ config, database, secrets }: Deps, feedLink: FeedLink): Promise<Feed> {
  requireUsable(feedLink, config.allowedUrls)
  const sealed = await findFeedKey(database, feedLink)
  if (!sealed) throw refused('the feed link is deactivated')
  const apiKey = await secrets.open(sealed, keyOwnerOf(feedLink))
  return openLunchFlow({ apiUrl: feedLink.apiUrl, apiKey })
}

/** Asks for the balances, some at a time; an account whose balance cannot be had has 0. */
async function withBalances(
  { log }: Deps,
  feed: Feed,
  { accounts, signal }: { accounts: OfferedAccount[]; signal: AbortSignal },
): Promise<Discovery[]> {
  const discoveries: Discovery[] = []
  const ask = async (account: OfferedAccount) => {
    const balance = await feed.readBalance(account.id, signal).catch((err) => {
      log.warn({ err, feedId: account.id }, 'a balance of the feed provider is missing')
      return null
    })
    return discover(account, balance)
  }
  for (let start = 0; start < accounts.length; start += balancesAtOnce) {
    const some = accounts.slice(start, start + balancesAtOnce)
    discoveries.push(...(await Promise.all(some.map(ask))))
  }
  return discoveries
}

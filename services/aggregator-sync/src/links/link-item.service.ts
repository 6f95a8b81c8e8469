import { lockBound } from '@coffer/kit/database/account-bound.sql'
import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import {
  aggregatorLinkBound,
  deleteToken,
  findLink,
  findLinkOfItem,
  findToken,
  insertLink,
  isClosed,
  lockLink,
  saveLink,
  saveToken,
} from '../connections/aggregator-link.sql.ts'
import {
  type AggregatorLink,
  endLink,
  identifyLink,
  type LinkKey,
  tokenOwnerOf,
} from '../connections/aggregator-link.ts'
import {
  byExchange,
  isFinal,
  type LinkDeps,
  refuseFault,
} from '../connections/upstream-call.service.ts'
import { admitRequest } from '../provider/request-limit.sql.ts'

/** An item and its access token, as the exchange of a public token returns them. */
interface Exchanged {
  itemId: string
  accessToken: string
}

/** Text of refusals after which a workflow continues the creation. */
export const sayLater = (fault: string) => say('LINK_CONTINUES', { fault })

/**
 * Stores a new link with its public token, and runs `finish` in the same transaction. Throws
 * notFound for an account that is deleted, and refused (429) beyond the account's limit.
 */
export async function storeWithToken(
  { database, secrets }: LinkDeps,
  { link, publicToken, now }: { link: AggregatorLink; publicToken: string; now: Date },
  finish: (tx: Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  const { accountId } = link
  const token = await secrets.seal(publicToken, tokenOwnerOf(link))
  await database.transaction(async (tx) => {
    // Waits for a concurrent deletion of the account, which takes this lock before it lists links.
    await lockBound(tx, aggregatorLinkBound(accountId, { max: 0, refusal: '' }))
    if (await isClosed(tx, accountId)) throw notFound('account')
    await admitRequest({ pool: tx }, { accountId, kind: 'callbacks', now })
    await insertLink(tx, link)
    await saveToken(tx, link, { kind: 'public', ...token })
    await finish(tx)
  })
}

/**
 * Exchanges the public token of a link that has no item yet; returns the link that owns the item.
 * Throws refused (500) for faults of the aggregator; a final one also ends the link.
 */
export async function identify(deps: LinkDeps, link: AggregatorLink): Promise<AggregatorLink> {
  if (link.itemId !== null) return link
  try {
    const exchanged = await exchangeStored(deps, link)
    const identified = exchanged
      ? await storeItem(deps, link, exchanged)
      : await findLink(deps.database, link)
    return requireCreating(identified)
  } catch (error) {
    if (!isFinal(error)) refuseFault('PLAID_EXCHANGE_FAILED', error, sayLater)
    await dropConnection(deps, link)
    refuseFault('PLAID_EXCHANGE_FAILED', error)
  }
}

/** Exchanges the public token of a link; null if it has none. Throws faults of the aggregator. */
export async function exchangeStored(
  { database, secrets, openAggregator }: LinkDeps,
  key: LinkKey,
): Promise<Exchanged | null> {
  const sealed = await findToken(database, key, 'public')
  if (!sealed) return null
  const publicToken = await secrets.open(sealed, tokenOwnerOf(key))
  const aggregator = await openAggregator()
  return aggregator.exchange(publicToken, byExchange())
}

/**
 * Stores the item and its token right after the exchange, because a public token can be exchanged
 * only once. Returns the link, or the account's other link that has the item; null if the link's
 * row is gone. Throws refused (500) for an item of another account.
 */
export async function storeItem(
  deps: LinkDeps,
  link: LinkKey,
  { itemId, accessToken }: Exchanged,
): Promise<AggregatorLink | null> {
  const { database, secrets, clock, log } = deps
  const token = await secrets.seal(accessToken, tokenOwnerOf(link))
  try {
    const identified = await database.transaction(async (tx) => {
      const locked = await lockLink(tx, link)
      if (!locked) return null
      const after = identifyLink(locked, itemId, clock())
      await saveLink(tx, after)
      await saveToken(tx, after, { kind: 'access', ...token })
      return after
    })
    if (!identified) log.error({ linkId: link.linkId }, 'an item remains at the aggregator')
    return identified
  } catch (error) {
    if (!isItemTaken(error)) throw error
    await dropConnection(deps, link)
    const other = await findLinkOfItem(database, itemId)
    if (other?.accountId === link.accountId && other.deletedAt === null) {
      await renewToken(deps, other, accessToken)
      return other
    }
    const fault = 'the item belongs to another link'
    throw refused(say('PLAID_EXCHANGE_FAILED', { fault }), { status: 500 })
  }
}

/**
 * Stores the newest access token of an item that has a link, since it may replace the former one.
 */
async function renewToken(
  { database, secrets }: LinkDeps,
  link: LinkKey,
  accessToken: string,
): Promise<void> {
  const token = await secrets.seal(accessToken, tokenOwnerOf(link))
  await database.transaction(async (tx) => {
    const locked = await lockLink(tx, link)
    if (locked?.deletedAt === null) await saveToken(tx, link, { kind: 'access', ...token })
  })
}

function isItemTaken(error: unknown): boolean {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  return isTaken && error.constraint === 'aggregator_links_item'
}

/** Returns a link that has not ended; throws refused (500) otherwise. */
export function requireCreating(link: AggregatorLink | null): AggregatorLink {
  if (link && link.deletedAt === null) return link
  const fault = 'the link was deleted meanwhile'
  throw refused(say('PLAID_EXCHANGE_FAILED', { fault }), { status: 500 })
}

/** Ends a link that has no item: there is nothing to remove at the aggregator. */
export async function dropConnection(
  { database, clock }: Pick<LinkDeps, 'database' | 'clock'>,
  key: LinkKey,
): Promise<void> {
  await database.transaction(async (tx) => {
    const locked = await lockLink(tx, key)
    // Another attempt may have stored an item meanwhile, which has to be released: the link then
    // stays.
    if (!locked || locked.itemId !== null) return
    const now = clock()
    await saveLink(tx, { ...endLink(locked, now), releasedAt: now })
    await deleteToken(tx, key)
  })
}

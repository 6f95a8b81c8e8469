import { emit } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import { newId } from '@coffer/kit/values/id'
import { listSyncedAccounts, refreshAccounts } from '@coffer/sync-kit/ledger/ledger.client'
import { Code, ConnectError } from '@connectrpc/connect'
import { aggregatorAddresses } from '../config.ts'
import {
  deleteLink,
  findLink,
  findLinkOfItem,
  findLinks,
  lockLink,
  requestWholeLoop,
  type ShownLink,
  saveLink,
  saveToken,
} from '../connections/aggregator-link.sql.ts'
import {
  type AggregatorLink,
  createTentative,
  isLive,
  type LinkKey,
  renewLink,
  tokenOwnerOf,
} from '../connections/aggregator-link.ts'
import { openItem } from '../connections/open-item.service.ts'
import {
  byExchange,
  isFinal,
  type LinkDeps,
  refuseContinued,
  refuseFault,
} from '../connections/upstream-call.service.ts'
import type { CallBy, OpenItem, UpstreamAccount } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { admitRequest } from '../provider/request-limit.sql.ts'
import { itemRequests } from '../syncs/item-requests.service.ts'
import { toProviderAccount } from '../syncs/provider-account.ts'
import { upsertAccounts } from './ledger.client.ts'
import { dropConnection, storeItem, storeWithToken } from './link-item.service.ts'
import { unfinished } from './link-release.service.ts'

/**
 * Returns a link token with which a user signs in at the institution again, and may choose other
 * accounts. Throws notFound for a link that is not in use, refused (429) beyond the account's
 * limit, and refused (500) for faults.
 */
export async function createUpdateToken(
  deps: LinkDeps,
  { key, selectsAccounts }: { key: LinkKey; selectsAccounts: boolean },
  by: CallBy,
): Promise<string> {
  const { item } = await openInUse(deps, key)
  await admitRequest(deps.database, { ...key, kind: 'link tokens', now: deps.clock() })
  const { webhookUrl } = aggregatorAddresses(deps.config)
  const aggregator = await deps.openAggregator()
  const { linkToken } = await aggregator
    .createLinkToken({ kind: 'update', item, selectsAccounts, webhookUrl }, by)
    .catch((error) => refuseFault('PLAID_START_FAILED', error))
  return linkToken
}

/**
 * Ends an update (docs/banks/aggregator.md#update): stores the token and the state of a working
 * link, requests a sync, and creates bank accounts for chosen accounts that the ledger lacks; after
 * a transient error the workflow repeats this last step. Returns the link. Throws notFound for a
 * link that is not in use, refused (400) for the token of another item or at the maximum of bank
 * accounts, refused (429) beyond the account's limit, refused (500) for faults, and unanswered
 * (504) for an outage after which the workflow continues.
 */
export async function updateLink(
  deps: LinkDeps,
  { key, publicToken, accountIds }: { key: LinkKey; publicToken: string; accountIds: string[] },
  by: CallBy,
): Promise<ShownLink> {
  const { link, item } = await openInUse(deps, key)
  const known = new Set(
    (await listSyncedAccounts(deps, key)).map(({ providerAccountId }) => providerAccountId),
  )
  const unknown = [...new Set(accountIds)].filter((id) => !known.has(id))
  const tentative = await beginExchange(deps, link, { publicToken, accountIds })
  const renewal = { link, item, publicToken, tentative, unknown }
  const shown = await renew(deps, renewal).catch(refuseContinued)
  if (unknown.length > 0) await createChosenNow(deps, key, by)
  return shown
}

/** Exchanges the public token, and stores the renewed link with the accounts to create. */
async function renew(
  deps: LinkDeps,
  of: {
    link: AggregatorLink
    item: OpenItem
    publicToken: string
    tentative: AggregatorLink
    unknown: string[]
  },
): Promise<ShownLink> {
  const { link: key, item, publicToken, tentative, unknown } = of
  const { accessToken } = await exchangeOwn(deps, key, { publicToken, tentative })
  const isOther = accessToken !== item.accessToken
  const token = isOther ? await deps.secrets.seal(accessToken, tokenOwnerOf(key)) : null
  const shown = await deps.database.transaction(async (tx) => {
    const now = deps.clock()
    const locked = await lockLink(tx, key)
    const renewed = renewLink(requireInUse(locked), { accountIds: unknown, now })
    await saveLink(tx, renewed)
    await deleteLink(tx, tentative)
    if (token) await saveToken(tx, key, { kind: 'access', ...token })
    await itemRequests.request(tx, key, { now, by: 'service' })
    if (unknown.length > 0) await emit(tx, unfinished(renewed))
    const [saved] = await findLinks({ pool: tx }, key.accountId, [key.linkId])
    return saved
  })
  if (!shown) throw notFound('aggregator link')
  return shown
}

/**
 * Creates the chosen accounts within the user's request. The choice is already committed, so a
 * transient error does not fail the request: the workflow creates them later. Throws refused for a
 * final error.
 */
async function createChosenNow(deps: LinkDeps, key: LinkKey, by: CallBy): Promise<void> {
  try {
    await createChosen(deps, key, by)
  } catch (error) {
    if (!faultOf(error) && !isOutage(error)) throw error
    const { linkId } = key
    deps.log.warn({ err: error, linkId }, 'the workflow will create the chosen bank accounts')
  }
}

/**
 * Stores the public token before its exchange, in a link that has ended: only the exchange, which
 * cannot be undone, shows the item of a token. If the process ends in between, the release of this
 * link removes the item at the aggregator, unless it is the item of `updated`. Throws refused (429)
 * beyond the account's limit.
 */
async function beginExchange(
  deps: LinkDeps,
  link: AggregatorLink,
  { publicToken, accountIds }: { publicToken: string; accountIds: string[] },
): Promise<AggregatorLink> {
  const now = deps.clock()
  const tentative = createTentative(link, { linkId: newId('link'), accountIds, now })
  await storeWithToken(deps, { link: tentative, publicToken, now })
  return tentative
}

/**
 * Exchanges a public token. Throws refused (500) for faults. Throws refused (400) for the token of
 * another item, which is then removed at the aggregator unless it has a link of its own.
 */
async function exchangeOwn(
  deps: LinkDeps,
  { itemId }: AggregatorLink,
  { publicToken, tentative }: { publicToken: string; tentative: AggregatorLink },
): Promise<{ accessToken: string }> {
  const aggregator = await deps.openAggregator()
  const exchanged = await aggregator.exchange(publicToken, byExchange()).catch(async (error) => {
    if (isFinal(error)) await dropConnection(deps, tentative)
    return refuseFault('PLAID_EXCHANGE_FAILED', error)
  })
  if (exchanged.itemId === itemId) return exchanged
  if (await findLinkOfItem(deps.database, exchanged.itemId)) await dropConnection(deps, tentative)
  else {
    await storeItem(deps, tentative, exchanged)
    await deps.database.transaction((tx) => emit(tx, unfinished(tentative)))
  }
  throw refused(say('PLAID_TOKEN_FOREIGN'))
}

// Maximum number of accounts in a call of UpsertBankAccounts.
const accountsMax = 500

/**
 * Creates bank accounts for the accounts that an update of a link has added, and requests a sync
 * that also reads their history. Idempotent. Throws refused after a final refusal, which drops the
 * choice; rethrows faults of the aggregator and outages, which are transient.
 */
export async function createChosen(deps: LinkDeps, key: LinkKey, by: CallBy): Promise<void> {
  const { link, item } = await openInUse(deps, key)
  const { chosenAccounts } = link
  if (chosenAccounts.length === 0) return
  try {
    const { accountId, linkId } = link
    // A renewed consent may have changed IDs: the whole list allows matching known bank accounts.
    const all = (await readAccounts(deps, { item }, by)).map(toProviderAccount)
    if (all.length <= accountsMax) {
      const isComplete = all.length > 0
      await refreshAccounts(deps, accountId, { linkId, accounts: all, isComplete })
    }
    const listed = (await readAccounts(deps, { item, chosenAccounts }, by)).map(toProviderAccount)
    await upsertAccounts(deps, accountId, { linkId, accounts: listed, isComplete: false })
  } catch (error) {
    if (!isFinal(error) && !isLedgerRefusal(error)) throw error
    await endChoice(deps, link)
    refuseFault('PLAID_ACCOUNTS_FAILED', error)
  }
  await endChoice(deps, link)
}

/**
 * Returns whether the ledger has refused, which is final. Faults of the aggregator have the same
 * codes but may be transient, so they do not count.
 */
function isLedgerRefusal(error: unknown): boolean {
  const { code } = ConnectError.from(error)
  return !faultOf(error) && [Code.InvalidArgument, Code.FailedPrecondition].includes(code)
}

async function readAccounts(
  deps: LinkDeps,
  { item, chosenAccounts }: { item: OpenItem; chosenAccounts?: string[] },
  by: CallBy,
): Promise<UpstreamAccount[]> {
  const aggregator = await deps.openAggregator()
  const of = chosenAccounts ? { accountIds: chosenAccounts } : {}
  return (await aggregator.readItem(item, of, by)).accounts
}

/**
 * Empties the chosen accounts of a link, and requests a sync that reads all transactions. Does
 * nothing if another update has chosen other accounts meanwhile.
 */
async function endChoice({ database, clock }: LinkDeps, link: AggregatorLink): Promise<void> {
  const now = clock()
  await database.transaction(async (tx) => {
    const locked = await lockLink(tx, link)
    if (!locked || !isLive(locked)) return
    if (locked.chosenAccounts.join() !== link.chosenAccounts.join()) return
    await saveLink(tx, { ...locked, chosenAccounts: [], updatedAt: now })
    await requestWholeLoop(tx, link, now)
    await itemRequests.request(tx, link, { now, by: 'service' })
  })
}

/** Returns a link that is in use, with its item. Throws notFound otherwise. */
async function openInUse(
  deps: LinkDeps,
  key: LinkKey,
): Promise<{ link: AggregatorLink; item: OpenItem }> {
  const link = requireInUse(await findLink(deps.database, key))
  const item = await openItem(deps, key)
  if (!item) throw notFound('aggregator link')
  return { link, item }
}

function requireInUse(link: AggregatorLink | null): AggregatorLink {
  if (!link || !isLive(link)) throw notFound('aggregator link')
  return link
}

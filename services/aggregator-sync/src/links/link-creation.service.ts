import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Transaction } from '@coffer/kit/database/database'
import { emit } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { Code, ConnectError } from '@connectrpc/connect'
import { aggregatorAddresses } from '../config.ts'
import { lockLink, saveLink, scheduleSync } from '../connections/aggregator-link.sql.ts'
import {
  type AggregatorLink,
  type Choice,
  completeLink,
  createLink,
  type LinkKey,
} from '../connections/aggregator-link.ts'
import { openItem } from '../connections/open-item.service.ts'
import { isFinal, type LinkDeps, refuseFault } from '../connections/upstream-call.service.ts'
import type { CallBy, ReadItem } from '../provider/aggregator.ts'
import { itemRequests } from '../syncs/item-requests.service.ts'
import { toProviderAccount } from '../syncs/provider-account.ts'
import { upsertAccounts, upsertLink } from './ledger.client.ts'
import { identify, requireCreating, sayLater, storeWithToken } from './link-item.service.ts'
import { endConnection, unfinished } from './link-release.service.ts'
import { linkBounds } from './link-token.service.ts'

/** Work to do in the transaction that completes a creation. */
type Finish = (tx: Transaction, linkId: string) => Promise<void>

// Fallback schedule: normally the first webhook starts the first sync, but it may be lost.
const firstSyncMs = 10 * 60_000

/**
 * Stores a link to create, with its public token. From then on the link is created or released,
 * even if this process ends (docs/banks/aggregator.md#set-up). Throws refused (400) at a maximum of
 * links, and refused (429) beyond the account's limit.
 */
export async function beginCreation(
  deps: LinkDeps,
  of: Choice & { accountId: string; userId: string; publicToken: string; isTrialing: boolean },
): Promise<AggregatorLink> {
  const now = deps.clock()
  const { webhookUrl } = aggregatorAddresses(deps.config)
  const by = {
    accountId: of.accountId,
    linkId: newId('link'),
    createdBy: of.userId,
    now,
    webhookUrl,
  }
  const link = createLink(of, by)
  await storeWithToken(deps, { link, publicToken: of.publicToken, now }, async (tx) => {
    for (const bound of linkBounds(deps, of)) await requireWithin(tx, bound)
    await emit(tx, unfinished(link))
  })
  return link
}

/**
 * Continues the creation of a link from its stored step to the end; returns the ID of the link.
 * Every step is idempotent. `finish` runs in the transaction that completes the link. Throws
 * refused both if the creation was given up and if a later attempt may still succeed.
 */
export async function continueCreation(
  deps: LinkDeps,
  link: AggregatorLink,
  { by, finish = async () => undefined }: { by: CallBy; finish?: Finish },
): Promise<string> {
  const identified = await identify(deps, link)
  if (identified.status !== 'creating') {
    await deps.database.transaction((tx) => finish(tx, identified.linkId))
    return identified.linkId
  }
  const read = await readChosen(deps, identified, by)
  await createInLedger(deps, identified, read)
  await complete(deps, { key: identified, read, finish })
  return identified.linkId
}

/** Reads the chosen accounts of the item. Gives up the creation if one of them is missing. */
async function readChosen(deps: LinkDeps, link: AggregatorLink, by: CallBy): Promise<ReadItem> {
  const item = await openItem(deps, link)
  if (!item) return requireCreating(null) as never
  const aggregator = await deps.openAggregator()
  const accountIds = link.chosenAccounts
  let read: ReadItem
  try {
    read = await aggregator.readItem(item, { accountIds }, by)
  } catch (error) {
    if (!isFinal(error)) refuseFault('PLAID_ACCOUNTS_FAILED', error, sayLater)
    await endConnection(deps, link)
    refuseFault('PLAID_ACCOUNTS_FAILED', error)
  }
  const found = new Set(read.accounts.map(({ accountId }) => accountId))
  if (accountIds.every((id) => found.has(id))) return read
  await endConnection(deps, link)
  const fault = 'a chosen account is missing'
  throw refused(say('PLAID_ACCOUNTS_FAILED', { fault }), { status: 500 })
}

/** Creates the link and its bank accounts in the ledger; gives up if the ledger refuses. */
async function createInLedger(
  deps: LinkDeps,
  link: AggregatorLink,
  { accounts, institutionName }: ReadItem,
): Promise<void> {
  const { linkId, accountId, createdBy } = link
  const name = link.institutionName || institutionName || 'Bank'
  try {
    await upsertLink(deps, link, { institutionName: name, createdBy })
    const listed = accounts.map(toProviderAccount)
    await upsertAccounts(deps, accountId, { linkId, accounts: listed, isComplete: false })
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error)
    if (![Code.InvalidArgument, Code.FailedPrecondition, Code.NotFound].includes(code)) throw error
    await endConnection(deps, link)
    throw refused(rawMessage)
  }
}

async function complete(
  { database, config, clock }: LinkDeps,
  { key, read, finish }: { key: LinkKey; read: ReadItem; finish: Finish },
): Promise<void> {
  const now = clock()
  await database.transaction(async (tx) => {
    const locked = requireCreating(await lockLink(tx, key))
    if (locked.status === 'creating') {
      const { products, webhookUrl, consentExpiresAt } = read
      await saveLink(tx, {
        ...completeLink(locked, now),
        institutionId: locked.institutionId || read.institutionId || '',
        institutionName: locked.institutionName || read.institutionName || '',
        products: products.length > 0 ? products : locked.products,
        webhookUrl,
        expirationDate: consentExpiresAt,
      })
      if (config.webhooksEnabled) {
        await scheduleSync(tx, key, new Date(now.getTime() + firstSyncMs))
      } else await itemRequests.request(tx, key, { now, by: 'service' })
    }
    await finish(tx, key.linkId)
  })
}

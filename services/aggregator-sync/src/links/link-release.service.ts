import { type Change, changeOf, emit } from '@coffer/kit/events/changes'
import { AggregatorLinkSettingUpSchema } from '@coffer/proto/aggregatorsync/v1/events'
import {
  deleteToken,
  endSyncs,
  findLink,
  isClosed,
  lockLink,
  saveLink,
} from '../connections/aggregator-link.sql.ts'
import { type AggregatorLink, endLink, type LinkKey } from '../connections/aggregator-link.ts'
import { openItem } from '../connections/open-item.service.ts'
import { isFinal, type LinkDeps } from '../connections/upstream-call.service.ts'
import type { CallBy, OpenItem } from '../provider/aggregator.ts'
import { detachLink, discardLink } from './ledger.client.ts'
import { exchangeStored, storeItem } from './link-item.service.ts'

/**
 * Starts the workflow that completes the creation, update or release of a link; a running one
 * checks again at its end.
 */
export function startFinish(
  { workflows }: Pick<LinkDeps, 'workflows'>,
  { accountId, linkId }: LinkKey,
): Promise<void> {
  const key: LinkKey = { accountId, linkId }
  const id = `aggregator-link/${linkId}`
  return workflows.start({ type: 'finishAggregatorLink', id, args: [key] })
}

/** Returns the event that a link has unfinished work; its handler calls `startFinish`. */
export function unfinished({ accountId, linkId, updatedAt }: AggregatorLink): Change {
  const subject = { accountId, entityId: linkId, version: BigInt(updatedAt.getTime()) }
  return changeOf(AggregatorLinkSettingUpSchema, subject, { accountId, linkId })
}

/**
 * Ends the connection of a link, if it has one: its syncs end at once. The workflow then removes
 * its item at the aggregator (docs/banks/aggregator.md#release).
 */
export async function endConnection(
  { database, clock }: Pick<LinkDeps, 'database' | 'clock'>,
  key: LinkKey,
): Promise<void> {
  await database.transaction(async (tx) => {
    const locked = await lockLink(tx, key)
    if (!locked || locked.releasedAt !== null) return
    const ended = endLink(locked, clock())
    // Before `saveLink`, because a constraint refuses a schedule on an ended link.
    await endSyncs(tx, key)
    await saveLink(tx, ended)
    await emit(tx, unfinished(ended))
  })
}

/**
 * Removes the item of an ended link at the aggregator, then its token. Waits while another call of
 * the item is in flight. Throws faults of the aggregator, and then keeps the token for a retry.
 */
export async function releaseItem(deps: LinkDeps, key: LinkKey, by: CallBy): Promise<void> {
  const link = await findLink(deps.database, key)
  if (!link || link.deletedAt === null || link.releasedAt !== null) return
  const item = (await openItem(deps, link)) ?? (await openUnknown(deps, link))
  if (item) {
    const aggregator = await deps.openAggregator()
    await aggregator.removeItem(item, by)
  }
  if (link.itemId !== null && !(await isClosed(deps.database.pool, link.accountId))) {
    await leaveToLedger(deps, link)
  }
  await markReleased(deps, key, item !== null)
}

/**
 * Discards a link in the ledger if it was never created, so that it still has chosen accounts.
 * Makes any other link a manual one, so that the user keeps its data.
 */
function leaveToLedger(deps: LinkDeps, link: AggregatorLink): Promise<void> {
  return link.chosenAccounts.length > 0 ? discardLink(deps, link) : detachLink(deps, link)
}

/** Exchanges a stored public token to find its item; null if there is none. */
async function openUnknown(deps: LinkDeps, link: AggregatorLink): Promise<OpenItem | null> {
  try {
    const exchanged = await exchangeStored(deps, link)
    if (!exchanged) return null
    await storeItem(deps, link, exchanged)
  } catch (error) {
    if (isFinal(error)) return null
    throw error
  }
  return openItem(deps, link)
}

async function markReleased(
  { database, clock }: LinkDeps,
  key: LinkKey,
  hadItem: boolean,
): Promise<void> {
  await database.transaction(async (tx) => {
    const locked = await lockLink(tx, key)
    // If a concurrent exchange has stored an item meanwhile, the link is not released yet: the next
    // attempt removes the item.
    if (!locked || locked.releasedAt !== null || (locked.itemId !== null && !hadItem)) return
    const now = clock()
    await saveLink(tx, { ...locked, updatedAt: now, releasedAt: now })
    await deleteToken(tx, key)
  })
}

import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Transaction } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { tellLink } from './aggregator-link.sql.ts'
import { AggregatorLink } from './aggregator-link.ts'

const columns = columnsOf(AggregatorLink, { table: 'aggregator_links' })
const Served = AggregatorLink.extend({ isServed: z.boolean() })

/**
 * Locks and returns the link of an item, of any account, since a webhook names only the item.
 * `isServed`: whether the account of the link is paid up and not being deleted. Null for an unknown
 * item.
 */
export async function lockLinkOfItem(
  tx: Transaction,
  itemId: string,
  now: Date,
): Promise<{ link: AggregatorLink; isServed: boolean } | null> {
  const found = await tx.maybeOne(sql.type(Served)`
    SELECT ${columns}, (${isServed('aggregator_links', now)}) AS "isServed" FROM aggregator_links
    WHERE item_id = ${itemId} FOR NO KEY UPDATE OF aggregator_links`)
  if (!found) return null
  const { isServed: served, ...link } = found
  return { link, isServed: served }
}

/**
 * Saves the fields of a link that change when the aggregator reports the status of its item, or
 * when a mail about that status is sent to the user.
 */
export async function saveStatement(tx: Transaction, link: AggregatorLink): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE aggregator_links
    SET ${assignmentsOf(link, [
      'status',
      'errorCode',
      'expirationDate',
      'newAccountsAvailable',
      'statusAsOf',
      'noticedFor',
      'updatedAt',
    ])}
    WHERE account_id = ${link.accountId} AND link_id = ${link.linkId}`)
  await tellLink(tx, link)
}

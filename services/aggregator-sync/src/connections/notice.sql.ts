import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Transaction } from '@coffer/kit/database/database'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { AggregatorLinkNeedsUserSchema } from '@coffer/proto/aggregatorsync/v1/events'
import type { AggregatorLink } from './aggregator-link.ts'
import { noticeOf } from './notice.ts'

/**
 * Emits the mail about a change of a link's status, in the transaction of the change. Returns the
 * link to save, which notes the mail so that it is sent once; `after` if there is no mail.
 */
export async function emitNotice<Link extends AggregatorLink>(
  tx: Transaction,
  { before, after }: { before: AggregatorLink; after: Link },
): Promise<Link> {
  const { accountId, linkId, institutionName, expirationDate, updatedAt } = after
  const notice = noticeOf(before, after, updatedAt)
  if (!notice) return after
  const isExpiring = notice.reason === 'expiring' && expirationDate !== null
  const subject = { accountId, entityId: linkId, version: BigInt(updatedAt.getTime()) }
  const event = {
    accountId,
    linkId,
    reason: notice.reason,
    institutionName,
    ...(isExpiring ? { at: timestampFromDate(expirationDate) } : {}),
  }
  await emit(tx, changeOf(AggregatorLinkNeedsUserSchema, subject, event))
  return { ...after, noticedFor: notice.occasion }
}

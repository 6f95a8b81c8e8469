import { dayMs } from '@coffer/kit/values/time'
import { faultCodeOf } from '../provider/plaid-fault.ts'
import type { AggregatorLink } from './aggregator-link.ts'

/** Reason for which the user of a link has to act. */
export type NoticeReason = 'expiring' | 'login-required' | 'revoked'

/**
 * A mail about a link. `occasion` identifies it by reason and instant, so that one mail is sent for
 * each.
 */
export interface Notice {
  reason: NoticeReason
  occasion: string
}

type Noticed = Pick<AggregatorLink, 'status' | 'errorCode' | 'expirationDate' | 'noticedFor'>

/**
 * Returns the mail about a change of a link's status, null for none (docs/banks/webhooks.md#mails).
 * A link whose status alternates causes one mail a day.
 */
export function noticeOf(before: Noticed, after: Noticed, now: Date): Notice | null {
  const reason = reasonOf(after)
  if (reason === null) return null
  const [noticed, at = ''] = before.noticedFor?.split(' ') ?? []
  const isExpiring = reason === 'expiring'
  const instant = isExpiring ? (after.expirationDate?.toISOString() ?? '') : now.toISOString()
  if (noticed === reason) {
    const isRecent = now.getTime() - new Date(at).getTime() < dayMs
    if (isExpiring ? at === instant : isRecent || reasonOf(before) === reason) return null
  }
  return { reason, occasion: `${reason} ${instant}` }
}

function reasonOf({ status, errorCode }: Noticed): NoticeReason | null {
  if (status === 'pending_expiration') return 'expiring'
  if (status === 'revoked') return 'revoked'
  const isLogin = errorCode !== null && faultCodeOf(errorCode) === 'login-required'
  return status === 'error' && isLogin ? 'login-required' : null
}

import { say } from '@coffer/kit/reasons/reasons'
import { createFaults, type Fault, type FaultTable } from '@coffer/sync-kit/provider/fault-table'
import type { z } from 'zod'

const renew = 'Renew the connection at the provider.'
const reachable = 'Check that it runs and that its URL is right.'
const split = 'Look at the provider: it ignores the days of a request, or has too much for one day.'

/**
 * Text of each fault, which `detail` completes, and advice for the user; `describeSyncFault` adds
 * whether syncs are repeated.
 */
const faults = {
  'no-answer': [() => say('FEED_SILENT'), reachable],
  'key-refused': [
    (detail) => (detail ? say('FEED_KEY_REJECTED', { detail }) : say('FEED_KEY_REFUSED')),
    'Check at the provider that the key is valid and may see the accounts. ' +
      'A new key needs a new feed link.',
  ],
  'rate-limited': [
    (detail) => say('FEED_STATUS', { status: detail }),
    'Nothing: the sync is repeated when the provider allows it.',
  ],
  redirected: [
    (detail) => say('FEED_STATUS', { status: detail }),
    'Create the feed link with the URL that the provider redirects to.',
  ],
  status: [(detail) => say('FEED_STATUS', { status: detail }), 'Look at the log of the provider.'],
  unreadable: [
    (detail) => say('FEED_ANSWER', { expected: detail }),
    "Check that the URL is the base of the provider's API.",
  ],
  'too-large': [(detail) => say('FEED_LARGE', { detail }), split],
  'empty-list': [
    (detail) => say('FEED_LIST_EMPTY', { detail }),
    'Check the bank account at the provider.',
  ],
  'short-list': [
    (detail) => say('FEED_LIST_SHORT', { detail }),
    'Check the bank account at the provider.',
  ],
  'other-account': [
    (detail) => say('FEED_LIST_OTHER', { detail }),
    'The bank account may be attached to the wrong candidate: send another feedBankAccountId in ' +
      'a PATCH of the bank account.',
  ],
  'account-missing': [
    () => say('FEED_ACCOUNT_GONE'),
    'If the provider lists it under a new ID, send that candidate of GET ' +
      '/api/feed/link/:feedLinkId/bank_accounts as feedBankAccountId in a PATCH of the bank ' +
      'account. Otherwise renew the connection at the provider, or archive the bank account.',
  ],
  disconnected: [(detail) => say('FEED_DISCONNECTED', { detail }), renew],
  currency: [
    (detail) => say('FEED_CURRENCY', { detail }),
    'Check the currency of the bank account, here and at the provider.',
  ],
  'url-not-allowed': [
    (detail) => (detail ? say('FEED_URL_NAMED', { detail }) : say('FEED_URL')),
    'Ask the operator of the server to add the URL to COFFER_FEED_ALLOWED_URLS and restart it. ' +
      'npm start -- --try-feed does it for the simulated feed.',
  ],
  'private-address': [
    () => say('FEED_PRIVATE'),
    'Ask the operator of the server to set COFFER_FEED_PRIVATE_ADDRESSES=true, if that is meant.',
  ],
  internal: [() => say('SYNC_UNFINISHED'), 'Nothing: the sync is repeated within minutes.'],
} satisfies FaultTable

/**
 * Codes and errors of faults. The error has status 400 for a URL that is not allowed, otherwise 500
 * with the text of the fault, because the feed is only for self-hosters.
 */
export const {
  FaultCode,
  describeFault,
  failureOf: feedFailure,
  faultOf,
} = createFaults(faults, (code) => (code === 'url-not-allowed' ? 400 : 500))
type FaultCode = z.infer<typeof FaultCode>

/** Reason why the provider could not be read (docs/banks/feed.md#failures). */
export type FeedFault = Fault<FaultCode>

const onRequest = 'To go on, request a sync with POST /api/feed/link/sync: none is scheduled.'

/**
 * Returns the text of a stored fault, and advice that says whether syncs are repeated. `isStopped`:
 * only requested syncs run.
 */
export function describeSyncFault(
  fault: Pick<FeedFault, 'code' | 'detail'>,
  { isStopped }: { isStopped: boolean },
): { text: string; advice: string } {
  const { text, advice } = describeFault(fault)
  // Repeating does not help: another URL needs another feed link.
  if (fault.code === 'redirected') return { text, advice }
  const isRepeated = fault.code === 'rate-limited' || fault.code === 'internal'
  if (isRepeated) return { text, advice: isStopped ? onRequest : advice }
  return { text, advice: `${advice} ${isStopped ? onRequest : 'Syncs are repeated.'}` }
}

const retryAfterMsMax = 24 * 3_600_000

/**
 * Parses a Retry-After header, seconds or an HTTP date (RFC 9110 10.2.3), to milliseconds from now,
 * 0 to 24 hours; null for other texts.
 */
export function readRetryAfter(header: string | null, now: Date): number | null {
  const text = header ?? ''
  const ms = /^\d{1,15}$/.test(text)
    ? Number(text) * 1_000
    : /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
      ? Date.parse(text) - now.getTime()
      : Number.NaN
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax)
}

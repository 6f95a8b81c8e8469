import { isIP, type LookupFunction } from 'node:net'
import {
  type Answer,
  pinHost,
  type Resolve,
  requestPinned,
  Unanswered,
} from '@coffer/kit/http/pinned-request.client'
import { toPrintable } from '@coffer/kit/values/printable'
import type { DayRange } from './day-range.ts'
import { type AnswerKind, type AnswerParser, type FeedAnswers, readAnswer } from './feed-answer.ts'
import { feedFailure, readRetryAfter } from './feed-fault.ts'

/**
 * Client of an instance of the feed provider. A call throws the error of a fault (`feedFailure`),
 * the reason of an aborted signal unless it is a timeout, and `unavailable` if too many large
 * answers wait to be parsed.
 */
export interface Feed {
  listAccounts: (signal: AbortSignal) => Promise<FeedAnswers['accounts']>
  readBalance: (feedId: string, signal: AbortSignal) => Promise<FeedAnswers['balance']>
  /** Servers that do not support days send their whole list, without pending transactions. */
  listTransactions: (
    feedId: string,
    range: DayRange,
    signal: AbortSignal,
  ) => Promise<FeedAnswers['transactions']>
}

/** URL and API key of an instance, and options of calls. */
export interface LunchFlowOptions {
  apiUrl: string
  apiKey: string
  /** Whether host names may resolve to private addresses; false by default. */
  allowsPrivate?: boolean
  /** Timeout of one attempt in ms; 4 s by default. */
  attemptMs?: number
  parse?: AnswerParser
  resolve?: Resolve
}

interface Within {
  apiUrl: string
  apiKey: string
  attemptMs: number
  lookup: LookupFunction
  signal: AbortSignal
}

const attempts = 2
const callMs = 60_000
const redirectsMax = 3
const quoteLengthMax = 200

const nouns: Record<AnswerKind, string> = {
  accounts: 'a list of accounts',
  balance: 'a balance',
  transactions: 'a list of transactions',
}

/**
 * Returns a client of Lunch Flow's HTTP API (docs/banks/feed.md#calls). A call resolves the host
 * name once, is repeated once after no answer or a 5xx without Retry-After, and times out after 60
 * s. The key is sent only to URLs below `apiUrl`.
 */
export function createLunchFlow(options: LunchFlowOptions): Feed {
  const { parse = async (body, kind, _, feedId) => readAnswer(body, kind, feedId) } = options
  const ask = async <Kind extends AnswerKind>(
    kind: Kind,
    paths: readonly string[],
    signal: AbortSignal,
    feedId?: string,
  ): Promise<FeedAnswers[Kind]> => {
    const answer = await call(options, paths, signal)
    if (answer.status !== 200) throw failureOf(answer, kind, options.apiKey)
    const content = await parse(answer.body, kind, signal, feedId)
    if (content === null) throw feedFailure('unreadable', { detail: nouns[kind] })
    if (content === 'too-large') throw feedFailure(content, { detail: tooMuch })
    return content
  }
  return {
    listAccounts: (signal) => ask('accounts', ['/accounts'], signal),
    readBalance: (feedId, signal) => {
      return ask('balance', [`/accounts/${encodeURIComponent(feedId)}/balance`], signal)
    },
    listTransactions: (feedId, { from, to }, signal) => {
      const path = `/accounts/${encodeURIComponent(feedId)}/transactions`
      const bounds = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
      const query = new URLSearchParams({ include_pending: 'true', ...bounds })
      return ask('transactions', [`${path}?${query}`, path], signal, feedId)
    },
  }
}

const tooMuch = 'more data than a sync reads at once (10 MiB)'

/** Returns the provider's answer; throws the error of a fault if there is none. */
async function call(
  { apiUrl, apiKey, allowsPrivate = false, attemptMs = 4_000, resolve }: LunchFlowOptions,
  paths: readonly string[],
  caller: AbortSignal,
): Promise<Answer> {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(callMs)])
  const url = new URL(apiUrl)
  const how = { allowsPrivate: allowsPrivate || namesAddress(url), signal, resolve }
  const within = { apiUrl, apiKey, attemptMs, signal }
  const answer = await pinHost(url, how)
    .then((lookup) => callInTurn(paths, { ...within, lookup }))
    .catch(reasonOf)
  if (caller.aborted && caller.reason?.name !== 'TimeoutError') throw caller.reason
  if (typeof answer === 'string') throw feedFailure(answer, { detail: tooMuch })
  return answer
}

/**
 * Returns whether a URL has an IP address or `localhost` as its host. Such a URL may be private
 * without `allowsPrivate`, because the operator has allowed the URL itself.
 */
function namesAddress({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || hostname === 'localhost'
}

/**
 * Returns the answer to the first path that the server supports. 400, 404 and 422 lead to the next
 * path, because servers without support for queries may refuse them so.
 */
async function callInTurn(
  paths: readonly string[],
  within: Within,
): Promise<Answer | Unanswered['reason']> {
  let answer: Answer | Unanswered['reason'] = 'no-answer'
  for (const path of paths) {
    answer = await repeat(path, within)
    if (typeof answer === 'string' || ![400, 404, 422].includes(answer.status)) break
  }
  return answer
}

/** Returns the reason why a call has no answer. Rethrows other errors. */
function reasonOf(error: unknown): Unanswered['reason'] {
  if (error instanceof Unanswered) return error.reason
  throw error
}

/** Makes at most two attempts; returns the answer of the last one. */
async function repeat(path: string, within: Within): Promise<Answer | Unanswered['reason']> {
  let answer = await attempt(path, within)
  for (let tries = 1; tries < attempts && isFailed(answer); tries += 1) {
    if (within.signal.aborted) break
    answer = await attempt(path, within)
  }
  return answer
}

/**
 * Returns the provider's answer, `no-answer` if there is none in time. Follows at most three
 * redirects, only to URLs below the base URL; a further redirect is returned as the answer.
 */
async function attempt(path: string, within: Within): Promise<Answer | Unanswered['reason']> {
  const { apiUrl, apiKey, lookup, attemptMs } = within
  const signal = AbortSignal.any([within.signal, AbortSignal.timeout(attemptMs)])
  const headers = { 'x-api-key': apiKey, accept: 'application/json' }
  let url = new URL(apiUrl + path)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await requestPinned(url, { lookup, headers, signal }).catch(reasonOf)
    if (typeof answer === 'string' || !isRedirect(answer) || redirects === redirectsMax) {
      return answer
    }
    const next = URL.parse(answer.location ?? '', url.href)
    if (next === null || !isBelow(next, apiUrl)) return answer
    url = next
  }
}

function isRedirect({ status, location }: Answer): boolean {
  return status >= 300 && status < 400 && location !== null
}

function isBelow(url: URL, apiUrl: string): boolean {
  const base = new URL(apiUrl)
  const folder = base.pathname.replace(/\/*$/, '/')
  const isSamePlace = url.origin === base.origin && `${url.pathname}/`.startsWith(folder)
  // Path traversal: a proxy may decode %2f and %2e, so that `/..` leaves the base URL.
  if (/%(2f|2e|5c)/i.test(url.pathname.slice(folder.length))) return false
  return isSamePlace && url.username === '' && url.password === ''
}

/** Returns whether an immediate second attempt may succeed. */
function isFailed(answer: Answer | Unanswered['reason']): boolean {
  if (typeof answer === 'string') return answer === 'no-answer'
  return answer.status >= 500 && answer.retryAfter === null
}

/** Creates the error of an answer other than 200; it quotes the body without the API key. */
function failureOf(answer: Answer, kind: AnswerKind, apiKey: string): Error {
  const { status } = answer
  const said = quoteOf(answer, apiKey)
  const detail = said === '' ? `${status}` : `${status}: ${said}`
  const retryAfterMs = readRetryAfter(answer.retryAfter, new Date())
  if (status === 401 || status === 403) return feedFailure('key-refused', { detail: said })
  if (status === 429 || (status === 503 && retryAfterMs !== null)) {
    return feedFailure('rate-limited', { detail, retryAfterMs })
  }
  if (status === 404 && kind !== 'accounts') return feedFailure('account-missing')
  if (isRedirect(answer)) return feedFailure('redirected', { detail: `${status}` })
  return feedFailure('status', { detail })
}

/** Returns the beginning of the body on one line, with the API key replaced by `***`. */
function quoteOf({ body }: Answer, apiKey: string): string {
  const said = body
    .toString()
    .replaceAll(apiKey, '***')
    .slice(0, 20 * quoteLengthMax)
  const line = said.replaceAll(/\s+/g, ' ')
  return toPrintable(line, { lengthMax: quoteLengthMax, instead: ' ' })
}

import {
  type Answer,
  createAgent,
  pinHost,
  type Resolve,
  requestPinned,
  type Unanswered,
} from '@coffer/kit/http/pinned-request.client'
import { onDemand } from '@coffer/kit/service/on-demand'
import { toPrintable } from '@coffer/kit/values/printable'
import { type AllowedHosts, isAllowedHost } from './webhook-url.ts'

/** Outcome of a request: the answer, or the reason why there is none. */
export interface Outcome {
  status: number | null
  /** First KiB of the body as text. */
  answer: string | null
  /** The reason why the request failed; null for an answer of 2xx. */
  problem: string | null
  /** Header Retry-After. */
  retryAfter: string | null
}

/** Sends requests to one URL, whose host is resolved only once. */
export interface Sender extends Disposable {
  /** Sends a POST request, without following redirects and within the timeout. Does not throw. */
  post: (body: string, headers: Record<string, string>) => Promise<Outcome>
}

export interface SenderOptions {
  allowed: AllowedHosts
  /** Timeout of a request in ms, resolution and handshake included. */
  timeoutMs: number
  resolve?: Resolve | undefined
}

const answerSizeMax = 1_024
const socketsMax = 8
const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Coffer-Webhooks' }

/**
 * Creates the sender of a webhook (docs/changes/own-webhooks.md#urls). SSRF: the host is resolved
 * once and must have public addresses only, unless the operator allows it; all connections go to
 * these addresses. Connections are kept alive for further requests of the sender.
 */
export function createSender(text: string, options: SenderOptions): Sender {
  const { allowed, timeoutMs, resolve } = options
  const url = new URL(text)
  const allowsPrivate = isAllowedHost(url, allowed)
  const agent = createAgent(url, { socketsMax, timeoutMs })
  // The time limit of the look-up is its own, because several requests may wait for it.
  const pinned = onDemand(() =>
    pinHost(url, { allowsPrivate, signal: AbortSignal.timeout(timeoutMs), resolve }),
  )
  const post = async (body: string, headers: Record<string, string>): Promise<Outcome> => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const lookup = await pinned()
      if (url.protocol === 'http:' && !allowsPrivate) return { ...failed, problem: httpProblem }
      const sent = { body, headers: { ...headers, ...fixedHeaders }, signal, lookup, agent }
      const how = { method: 'POST', bodyMax: answerSizeMax, isCut: true } as const
      return outcomeOf(await requestPinned(url, { ...sent, ...how }))
    } catch (error) {
      return { ...failed, problem: problemOf(error, { isOver: signal.aborted, timeoutMs }) }
    }
  }
  return { post, [Symbol.dispose]: () => agent.destroy() }
}

const failed = { status: null, answer: null, retryAfter: null }
const httpProblem = 'http is not allowed for this host'

function problemOf(error: unknown, of: { isOver: boolean; timeoutMs: number }): string {
  const { reason, cause } = error as Unanswered
  if (reason === 'private-address') return 'the host has an address that is private'
  const { name, code, message } = (cause ?? error) as NodeJS.ErrnoException
  // The look-up may end earlier than the time of a request that joined it.
  const isOver = of.isOver || name === 'TimeoutError'
  if (isOver) return `no answer within ${of.timeoutMs / 1000} seconds`
  const said = toPrintable(code ?? message, { lengthMax: 100 })
  return `no answer: ${said}`
}

/** Returns the stored part of an answer: of its body, the first KiB as text. */
function outcomeOf({ status, body, retryAfter }: Answer): Outcome {
  // Removes NUL, which Postgres does not store, and U+FFFD at the end, which stands for a character
  // that the limit of the size has cut.
  const answer = body
    .toString()
    .replaceAll('\0', '')
    .replace(/\uFFFD$/, '')
  return { status, answer, problem: statusProblem(status), retryAfter }
}

function statusProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  return isRedirect ? `answered ${status}: redirects are not followed` : `answered ${status}`
}

import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely, Agent as SecureAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { before, lookupOf, type Resolve } from '@coffer/kit/http/pinned-request.client'
import { isPublicAddress } from '@coffer/kit/http/public-address'
import { toPrintable } from '@coffer/kit/values/printable'
import { type AllowedHosts, isAllowedHost } from './webhook-url.ts'

/** Outcome of a request: the answer, or the reason for which there is none. */
export interface Outcome {
  status: number | null
  /** First KiB of the body as text. */
  answer: string | null
  /** Null for an answer of 2xx. */
  problem: string | null
  /** Header Retry-After. */
  retryAfter: string | null
}

/** Sends requests to one URL, whose host is resolved once. */
export interface Sender extends Disposable {
  /** Sends a POST. Follows no redirect, and ends after the timeout. Does not throw. */
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
const failed = { status: null, answer: null, retryAfter: null }

/**
 * Creates the sender of a webhook (docs/changes/own-webhooks.md#urls). SSRF: the host is resolved
 * once and must have public addresses only, unless the operator allows it; connections go to these
 * addresses (DNS pinning), so a name that changes after the check is harmless.
 */
export function createSender(text: string, options: SenderOptions): Sender {
  const url = new URL(text)
  const isAllowed = isAllowedHost(url, options.allowed)
  const isSecure = url.protocol === 'https:'
  const resolve = options.resolve ?? ((name) => lookUp(name, { all: true }))
  const Kind = isSecure ? SecureAgent : Agent
  // Connections are shared by the requests of a round only.
  const agent = new Kind({ keepAlive: true, maxSockets: socketsMax, timeout: options.timeoutMs })
  let found: Promise<readonly LookupAddress[]> | null = null
  const pin = async (signal: AbortSignal): Promise<LookupFunction> => {
    found ??= resolve(url.hostname.replace(/^\[|\]$/g, ''))
    const addresses = await before(signal, found)
    const isPublic = addresses.every(({ address }) => isPublicAddress(address))
    if (!isAllowed && !isPublic) throw new RefusedAddress('the host has an address that is private')
    return lookupOf([...addresses])
  }
  const post = async (body: string, headers: Record<string, string>): Promise<Outcome> => {
    const signal = AbortSignal.timeout(options.timeoutMs)
    try {
      const lookup = await pin(signal)
      if (!isSecure && !isAllowed) throw new RefusedAddress('http is not allowed for this host')
      const start = isSecure ? requestSecurely : request
      const size = Buffer.byteLength(body)
      const sent = start(url, {
        method: 'POST',
        agent,
        lookup,
        signal,
        headers: { ...headers, ...fixedHeaders, 'content-length': size },
      })
      return await outcomeOf(sent, body)
    } catch (error) {
      return { ...failed, problem: problemOf(error, { isOver: signal.aborted, ...options }) }
    }
  }
  return { post, [Symbol.dispose]: () => agent.destroy() }
}

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Coffer-Webhooks' }

class RefusedAddress extends Error {}

function problemOf(error: unknown, of: { isOver: boolean; timeoutMs: number }): string {
  if (error instanceof RefusedAddress) return error.message
  if (of.isOver) return `no answer within ${of.timeoutMs / 1000} seconds`
  const { code, message } = error as NodeJS.ErrnoException
  const said = toPrintable(code ?? message, { lengthMax: 100 })
  return `no answer: ${said}`
}

async function outcomeOf(sent: ReturnType<typeof request>, body: string): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.on('close', () => reject(new Error('the connection was closed')))
  sent.end(body)
  const response = await promise
  const { statusCode: status = 0, headers } = response
  const answer = await beginningOf(response)
  return {
    status,
    answer,
    problem: statusProblem(status),
    retryAfter: headers['retry-after'] ?? null,
  }
}

function statusProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  return isRedirect ? `answered ${status}: redirects are not followed` : `answered ${status}`
}

/** Returns the first KiB of an answer as text, or what came of it. The rest is not read. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      if (size > answerSizeMax) break
    }
  } catch {
    // The status has arrived, which decides.
  }
  const text = Buffer.concat(chunks).subarray(0, answerSizeMax).toString()
  // Postgres stores no NUL; half a character at the end is U+FFFD.
  return text.replaceAll('\0', '').replace(/\uFFFD$/, '')
}

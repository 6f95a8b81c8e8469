import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../harness/person.ts'

/** A request, and what makes it repeatable. */
export interface Sent {
  /** The route, for reports. */
  route: string
  method: string
  path: string
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  /** Sent as `Idempotency-Key`. */
  key?: string
}

/** The outcome of a request with all its attempts. */
export interface Outcome {
  route: string
  /** Status of the last answer; null if the last attempt got none. */
  status: number | null
  /** Status or error code of each attempt, with its duration in ms. */
  attempts: string[]
  /** Whether the client repeats the request: it is idempotent or has a key. */
  isRepeated: boolean
  /** Time from the first attempt to the end of the last, in ms. */
  ms: number
  /** Time of the first attempt. */
  at: Date
  body: Json
}

/** A client with keep-alive connections that records the outcome of every request. */
export interface Client extends Disposable {
  send: (sent: Sent) => Promise<Outcome>
  outcomes: Outcome[]
}

/** Pauses in ms before the repetitions: together longer than a balancer takes to notice a kill. */
const pausesMs = [500, 2_500]
const timeoutMs = 30_000
const idempotent = ['GET', 'HEAD', 'PUT', 'DELETE']

/** Returns whether a good client repeats a request that got no answer. */
export function isRepeatable({ method, key }: Sent): boolean {
  return key !== undefined || idempotent.includes(method)
}

/**
 * Creates an ordinary good client: keep-alive, and after a lost connection or a 503 it repeats what
 * is idempotent or has an Idempotency-Key, twice, after the answer's Retry-After. After a 504 it
 * repeats what has a key (docs/api/errors.md#statuses). It repeats nothing else.
 */
export function createClient(baseUrl: string): Client {
  const agent = new Agent({ keepAlive: true })
  const outcomes: Outcome[] = []
  return {
    outcomes,
    send: async (sent) => {
      const isRepeated = isRepeatable(sent)
      const outcome: Outcome = {
        route: sent.route,
        status: null,
        attempts: [],
        isRepeated,
        ms: 0,
        at: new Date(),
        body: null,
      }
      const begin = performance.now()
      for (const pauseMs of [...pausesMs, null]) {
        const retryAfterMs = await attemptOnce({ baseUrl, agent, sent, outcome })
        if (retryAfterMs === null || !isRepeated || pauseMs === null) break
        await sleep(Math.max(pauseMs, retryAfterMs))
      }
      outcome.ms = performance.now() - begin
      outcomes.push(outcome)
      return outcome
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

interface Attempt {
  baseUrl: string
  agent: Agent
  sent: Sent
  outcome: Outcome
}

/** Sends a request once; returns the Retry-After in ms (or 0), null if a repetition cannot help. */
async function attemptOnce({ baseUrl, agent, sent, outcome }: Attempt): Promise<number | null> {
  const begin = performance.now()
  const note = (text: string) =>
    outcome.attempts.push(`${text} in ${Math.round(performance.now() - begin)} ms`)
  try {
    const response = await answered(await requestOf(baseUrl, agent, sent))
    outcome.status = response.status
    outcome.body = response.body
    note(String(response.status))
    const isUnknown = response.status === 504 && sent.key !== undefined
    if (response.status !== 503 && !isUnknown) return null
    return 1_000 * Number(response.retryAfter ?? 0)
  } catch (error) {
    outcome.status = null
    const { code, message, reused } = error as Error & { code?: string; reused?: boolean }
    note(`${code ?? message}${reused ? ' (reused)' : ''}`)
    return ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes(code ?? '') ? 0 : null
  }
}

async function requestOf(baseUrl: string, agent: Agent, sent: Sent) {
  const { method, path, body, form, headers = {}, key } = sent
  const encoded = form
    ? new Response(form)
    : body === undefined
      ? null
      : new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  const bytes = encoded ? Buffer.from(await encoded.arrayBuffer()) : null
  const type = encoded?.headers.get('content-type')
  const outgoing = request(`${baseUrl}/api${path}`, {
    agent,
    method,
    headers: {
      ...headers,
      ...(type ? { 'content-type': type } : {}),
      ...(bytes ? { 'content-length': bytes.length } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    signal: AbortSignal.timeout(timeoutMs),
  })
  outgoing.end(bytes ?? undefined)
  return outgoing
}

async function answered(outgoing: ReturnType<typeof request>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', (error) => {
      reject(Object.assign(error, { reused: outgoing.reusedSocket }))
    })
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const isJson = response.headers['content-type']?.includes('json') && text !== ''
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: isJson ? JSON.parse(text) : text,
  }
}

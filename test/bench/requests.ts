import { type Agent, request } from 'node:http'

const timeoutMs = 15_000

/** A request to send: POST if it has a body, else GET. */
export interface Ask {
  url: string
  agent: Agent
  headers: Record<string, string>
  body?: string
}

/** Result of a request: status and whether `Retry-After` is set, or the code of a network error. */
export type Outcome = { status: number; retryAfter: boolean } | { error: string }

/** Sends one request and reads the whole answer. Never rejects. */
export function ask({ url, agent, headers, body }: Ask): Promise<Outcome> {
  return new Promise((resolve) => {
    const fail = ({ code, message }: NodeJS.ErrnoException) => resolve({ error: code ?? message })
    const typed = body === undefined ? {} : { 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { agent, method, headers: { ...headers, ...typed } }, (answer) => {
      const { statusCode: status = 0 } = answer
      const retryAfter = 'retry-after' in answer.headers
      answer.on('end', () => resolve({ status, retryAfter })).on('error', fail)
      answer.resume()
    })
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error('no answer')))
    sent.on('error', fail).end(body)
  })
}

/** Counts the results of requests, and collects their latencies. */
export interface Tally {
  count: (one: () => Promise<Outcome>) => Promise<void>
  figures: () => {
    requests: number
    outcomes: Record<string, number>
    medianMs: number
    p99Ms: number
    slowestMs: number
  }
  /** Returns whether all requests were answered, with no 5xx except 503 with `Retry-After`. */
  isSound: () => boolean
}

export function createTally(): Tally {
  const took: number[] = []
  const outcomes: Record<string, number> = {}
  let isSound = true
  const quantile = (part: number) => {
    const sorted = took.toSorted((a, b) => a - b)
    return (
      Math.round(
        (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10,
      ) / 10
    )
  }
  return {
    count: async (one) => {
      const startedAt = performance.now()
      const outcome = await one()
      took.push(performance.now() - startedAt)
      const name = 'error' in outcome ? outcome.error : String(outcome.status)
      outcomes[name] = (outcomes[name] ?? 0) + 1
      if ('error' in outcome) isSound = false
      else if (outcome.status >= 500) isSound &&= outcome.status === 503 && outcome.retryAfter
    },
    figures: () => ({
      requests: took.length,
      outcomes,
      medianMs: quantile(0.5),
      p99Ms: quantile(0.99),
      slowestMs: quantile(1),
    }),
    isSound: () => isSound,
  }
}

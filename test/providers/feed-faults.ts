import type { ServerResponse } from 'node:http'

/** A faulty answer of the simulated feed provider. */
export type Fault =
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** The request is never answered. */
  | { kind: 'hang' }
  /** The right answer is sent when the promise resolves. */
  | { kind: 'hold'; until: Promise<unknown> }
  /** The connection ends after this many bytes of the right answer's body. */
  | { kind: 'cut'; afterBytes: number }
  /** The right answer with another body. */
  | { kind: 'body'; change: (body: string) => string }

/** Faults that providers were seen to have, and hostile ones. */
export const faults = {
  status: (status: number, body = '{}'): Fault => ({ kind: 'status', status, body }),
  /** 401 or 403. */
  refusedKey: (status = 401): Fault => ({
    kind: 'status',
    status,
    body: '{"error":"Unauthorized","message":"Invalid API key"}',
  }),
  /** 429 with `Retry-After`: seconds, or a date of HTTP. */
  rateLimited: (retryAfter: string): Fault => ({
    kind: 'status',
    status: 429,
    body: '{"error":"Too Many Requests","message":"Rate limit exceeded"}',
    headers: { 'retry-after': retryAfter },
  }),
  /** The real server answers its former address with 308. */
  redirect: (location: string, status = 308): Fault => ({
    kind: 'status',
    status,
    headers: { location },
  }),
  hang: { kind: 'hang' } satisfies Fault,
  hold: (until: Promise<unknown>): Fault => ({ kind: 'hold', until }),
  cut: (afterBytes: number): Fault => ({ kind: 'cut', afterBytes }),
  body: (body: string): Fault => ({ kind: 'body', change: () => body }),
  invalidJson: changed((body) => body.slice(0, -1)),
  /** IDs, amounts and days are lists. */
  wrongTypes: changed((body) =>
    body.replaceAll(/"(id|amount|date)":("[^"]*"|[^",}]+)/g, '"$1":[1]'),
  ),
  /** A valid answer of at least this many bytes. */
  huge: (bytes: number) => changed((body) => `{"padding":"${'x'.repeat(bytes)}",${body.slice(1)}`),
  /** A valid answer that holds this many lists in each other. */
  deep: (depth: number) =>
    changed((body) => `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},${body.slice(1)}`),
  wrongCurrency: (currency = 'XTS') =>
    changed((body) => body.replaceAll(/"currency":"[^"]*"/g, `"currency":"${currency}"`)),
  /** Amounts with three more places. */
  tooManyPlaces: changed((body) =>
    body.replaceAll(/"amount":(-?\d+)(\.\d+)?/g, (_, whole, places = '.00') => {
      return `"amount":${whole}${places}987`
    }),
  ),
  dateOutOfRange: (date = '9999-12-32') =>
    changed((body) => body.replaceAll(/"date":"[^"]*"/g, `"date":"${date}"`)),
  /** A total that is not the number of rows. */
  wrongTotal: changed((body) => body.replace(/"total":\d+/, '"total":1000000')),
}

/** Sends the right answer with a fault. */
export async function sendFaulty(
  response: ServerResponse,
  fault: Fault,
  right: { status: number; body: string },
): Promise<void> {
  if (fault.kind === 'hang') return
  if (fault.kind === 'status') {
    return send(response, { body: '{}', ...fault })
  }
  if (fault.kind === 'hold') {
    await fault.until
    return send(response, right)
  }
  if (fault.kind === 'body') {
    return send(response, { ...right, body: fault.change(right.body) })
  }
  const body = Buffer.from(right.body)
  response.writeHead(right.status, { 'content-length': body.length })
  response.write(body.subarray(0, fault.afterBytes), () => response.destroy())
}

/** Sends an answer in JSON. */
export function send(
  response: ServerResponse,
  { status, body, headers }: { status: number; body: string; headers?: Record<string, string> },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

function changed(change: (body: string) => string): Fault {
  return { kind: 'body', change }
}

import type { ServerResponse } from 'node:http'

/** A faulty answer of a simulated provider. */
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
  /** Any answer instead of the right one, of which it gets the body. */
  | { kind: 'any'; answer: (body: string) => AnyAnswer }

/** An answer in JSON. */
export interface Answer {
  status: number
  body: string
  headers?: Record<string, string>
}

/** An answer of any bytes; with `cutAfter`, the connection ends after this many of them. */
export interface AnyAnswer extends Omit<Answer, 'body'> {
  body: string | Buffer
  cutAfter?: number
}

/** Faults that any provider may have. */
export const anyFaults = {
  status: (status: number, body = '{}'): Fault => ({ kind: 'status', status, body }),
  redirect: (location: string, status = 308): Fault => ({
    kind: 'status',
    status,
    headers: { location },
  }),
  hang: { kind: 'hang' } satisfies Fault,
  hold: (until: Promise<unknown>): Fault => ({ kind: 'hold', until }),
  cut: (afterBytes: number): Fault => ({ kind: 'cut', afterBytes }),
  any: (answer: (body: string) => AnyAnswer): Fault => ({ kind: 'any', answer }),
  body: (body: string): Fault => ({ kind: 'body', change: () => body }),
  invalidJson: changed((body) => body.slice(0, -1)),
  /** A valid answer of at least this many bytes. */
  huge: (bytes: number) => changed((body) => `{"padding":"${'x'.repeat(bytes)}",${body.slice(1)}`),
  /** A valid answer that holds this many lists in each other. */
  deep: (depth: number) =>
    changed((body) => `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},${body.slice(1)}`),
}

/** Returns the fault that sends the right answer with a changed body. */
export function changed(change: (body: string) => string): Fault {
  return { kind: 'body', change }
}

/** Faults that a test has set, by patterns of paths. */
export interface FaultList {
  /**
   * Answers with a fault to paths (with their query) that match; `times` requests, by default all.
   * Of several faults that match the first is taken. Null removes the faults of this pattern.
   */
  fault: (path: RegExp, fault: Fault | null, times?: number) => void
  /** Returns the fault of the next answer to a path, and counts it. */
  take: (path: string) => Fault | null
}

/** Creates an empty list of faults. */
export function createFaultList(): FaultList {
  let all: { path: RegExp; fault: Fault; times: number }[] = []
  return {
    fault: (path, fault, times = Number.POSITIVE_INFINITY) => {
      if (fault) all.push({ path, fault, times })
      else all = all.filter((one) => one.path.source !== path.source)
    },
    take: (path) => {
      const found = all.find((one) => one.path.test(path) && one.times > 0)
      if (!found) return null
      found.times -= 1
      return found.fault
    },
  }
}

/**
 * Sends an answer, with a fault unless it is null. A fault with a status and one without an answer
 * come before the request takes effect: for them `answer` is not called.
 */
export async function sendFaulty(
  response: ServerResponse,
  fault: Fault | null,
  answer: () => Answer,
): Promise<void> {
  if (fault?.kind === 'hang') return
  if (fault?.kind === 'status') return send(response, { body: '{}', ...fault })
  const right = answer()
  if (fault?.kind === 'hold') await fault.until
  if (fault?.kind === 'body') return send(response, { ...right, body: fault.change(right.body) })
  if (fault?.kind === 'any') return send(response, fault.answer(right.body))
  if (fault?.kind === 'cut') return send(response, { ...right, cutAfter: fault.afterBytes })
  send(response, right)
}

function send(response: ServerResponse, { status, body, headers, cutAfter }: AnyAnswer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(cutAfter === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...headers,
  })
  if (cutAfter === undefined) response.end(body)
  else response.write(Buffer.from(body).subarray(0, cutAfter), () => response.destroy())
}

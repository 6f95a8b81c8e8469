import type { Example, Examples, RefusalExample } from '@coffer/gateway/http/openapi/examples'
import { eventually } from '@coffer/host/testing/boot'
import { findOperation } from '../harness/answer-check.ts'
import { type Answer, type CallOptions, call, type Json } from '../harness/person.ts'

/** A request, and the case that it shows if its operation has several examples. */
export interface Taking extends CallOptions {
  name?: string
  summary?: string
  /** Whether the answer becomes an example; by default it does. */
  isShown?: boolean
}

/** Sends a request with a credential. Returns the answer; throws an error if it is a refusal. */
export type Take = (method: string, path: string, taking?: Taking) => Promise<Answer>

export interface Recorder {
  /** Returns a function that sends requests with these headers. */
  as: (headers: Record<string, string>) => Take
  /**
   * Sends a request in both formats of errors, and records the refusals. Throws an error if the
   * status is another one.
   */
  refuse: (status: number, method: string, path: string, refused: Refused) => Promise<void>
  recorded: () => Examples
}

interface Refused extends CallOptions {
  name: string
  summary: string
}

/** Records requests to a server and its answers as examples of their operations. */
export function createRecorder(baseUrl: string): Recorder {
  const operations: Record<string, Example[]> = {}
  const refusals: RefusalExample[] = []
  const send = async (method: string, path: string, options: CallOptions): Promise<Answer> => {
    const answer = await call(baseUrl, method, path, options)
    if (answer.headers.has('coffer-recalculation')) {
      throw new Error(`${method} ${path}: recalculated too late for an example, record again`)
    }
    return answer
  }
  const take = async (
    method: string,
    path: string,
    { name, summary, isShown = true, ...sent }: Taking,
  ) => {
    const answer = await send(method, path, sent)
    const { operationId, responses } = findOperation(method, `/api${path.split('?')[0]}`)
    const { status, body } = answer
    const where = `${method} ${path} (${operationId}): ${status}`
    if (!responses[status] || responses[status].$ref) {
      throw new Error(`${where} is no success: ${JSON.stringify(body)}`)
    }
    if (!isShown) return answer
    operations[operationId] ??= []
    const all = operations[operationId]
    const example: Example = {
      name: name ?? 'example',
      ...(summary === undefined ? {} : { summary }),
      ...(sent.body === undefined ? {} : { request: sent.body }),
      status,
      ...(body === null ? {} : { answer: body }),
    }
    if (all.some((other) => other.name === example.name)) {
      throw new Error(`${where}: a second example ${example.name}`)
    }
    all.push(example)
    return answer
  }
  return {
    as:
      (credential) =>
      (method, path, taking = {}) =>
        take(method, path, { ...taking, headers: { ...credential, ...taking.headers } }),
    refuse: async (status, method, path, { name, summary, ...sent }) => {
      const headers = { ...sent.headers, accept: 'application/problem+json' }
      const plain = await send(method, path, sent)
      const detailed = await send(method, path, { ...sent, headers })
      if (plain.status !== status || detailed.status !== status) {
        throw new Error(`${method} ${path}: ${plain.status} and ${detailed.status}, not ${status}`)
      }
      refusals.push({ name, summary, status, answer: plain.body, problemDetails: detailed.body })
    },
    recorded: () => ({ operations, refusals }),
  }
}

/** Reads a path until the answer is as wanted. */
export async function until(
  take: Take,
  path: string,
  isReached: (body: Json) => boolean,
): Promise<void> {
  await eventually(
    () => take('GET', path, { isShown: false }),
    ({ body }) => isReached(body),
  )
}

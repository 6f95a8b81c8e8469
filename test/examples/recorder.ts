import { apiRoutes } from '@coffer/client/build/document'
import { encodeCursor } from '@coffer/gateway/http/queries/cursor'
import type { Example, Examples, RefusalExample } from '@coffer/gateway/openapi/examples'
import { refusalGroup } from '@coffer/gateway/openapi/refusals'
import { eventually } from '@coffer/host/testing/boot'
import { findOperation } from '../harness/answer-check.ts'
import { type Answer, type CallOptions, call, type Json } from '../harness/person.ts'
import { sendHandshake } from './handshake.ts'

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
   * Sends a request in both formats of errors, and records the refusal. Throws an error if the
   * status is another one, or if a refusal of the same name reads differently.
   */
  refuse: (status: number, method: string, path: string, refused: Refused) => Promise<void>
  /** Records a refusal that no request was sent for. */
  addRefusal: (refusal: Pick<RefusalExample, Given>, how: { id: string; isOwn?: boolean }) => void
  recorded: () => Examples
}

type Given = 'status' | 'name' | 'summary' | 'answer' | 'problemDetails'

interface Refused extends CallOptions {
  name: string
  summary: string
  /** Whether it fits no other operation. */
  isOwn?: boolean
  /** Returns a body for each of the two requests. */
  bodyOf?: () => Promise<unknown>
  /** Whether it is the handshake of a WebSocket. */
  isHandshake?: boolean
}

/** Returns the route of an operation. */
function routeOf(id: string) {
  const route = apiRoutes().find((one) => one.id === id)
  if (!route) throw new Error(`${id} is no operation`)
  return route
}

/** Records refusals. One of the same status and name is recorded once, for all its operations. */
function createRefusals() {
  const all: RefusalExample[] = []
  const add: Recorder['addRefusal'] = (refusal, { id, isOwn = false }) => {
    const { status, name, answer } = refusal
    const known = all.find((one) => one.status === status && one.name === name)
    if (known) {
      const isEqual = JSON.stringify(known.answer) === JSON.stringify(answer)
      if (!isEqual) throw new Error(`${id}: ${status} ${name} reads: ${JSON.stringify(answer)}`)
      known.operations.push(id)
      return
    }
    const group = isOwn ? {} : { group: refusalGroup(status, routeOf(id)) }
    const { summary, problemDetails } = refusal
    all.push({ name, summary, status, operations: [id], ...group, answer, problemDetails })
  }
  return { all, add }
}

/** Records the parameters of paths and queries; the first value of each counts. */
function createParameters(baseUrl: string) {
  const all: Examples['parameters'] = {}
  const note = (id: string, sent: string): void => {
    const { pathname, searchParams } = new URL(`/api${sent}`, baseUrl)
    const parts = pathname.split('/')
    const ids = routeOf(id)
      .path.split('/')
      .flatMap((part, at): [string, string][] => {
        return part.startsWith(':') ? [[part.slice(1), parts[at] ?? '']] : []
      })
    all[id] = { ...Object.fromEntries([...ids, ...searchParams]), ...all[id] }
  }
  /** Notes the cursor of the page after the first entry of a list. */
  const noteCursor = async (id: string, sent: string, headers: Record<string, string>) => {
    const { isPaged, pagedBy, query } = routeOf(id)
    const hasCursor = isPaged || pagedBy || Object.hasOwn(Object(query).shape ?? {}, 'after')
    if (!hasCursor || all[id]?.after !== undefined) return
    const path = sent.replace(/\?.*/, '?limit=1')
    const { body, headers: answered } = await call(baseUrl, 'GET', path, { headers })
    const next = /[?&]after=([\w-]+)/.exec(answered.get('link') ?? '')?.[1] ?? body.nextCursor
    // A list with one entry has no further page: the cursor is the one behind its entry.
    const [only = {}] = Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) ?? [])
    const date = only.date === undefined ? [] : [new Date(only.date).toISOString()]
    const after: string = next ?? encodeCursor([...date, String(Object.values(only)[0])])
    all[id] = { ...all[id], after }
  }
  return { all, note, noteCursor }
}

/** Sends a request. Throws an error if its answer lacks a calculation that comes later. */
async function callSettled(...sent: Parameters<typeof call>): Promise<Answer> {
  const answer = await call(...sent)
  if (answer.headers.has('coffer-recalculation')) {
    const [, method, path] = sent
    throw new Error(`${method} ${path}: recalculated too late for an example, record again`)
  }
  return answer
}

/** Records requests to a server and its answers as examples of their operations. */
export function createRecorder(baseUrl: string): Recorder {
  const operations: Record<string, Example[]> = {}
  const refusals = createRefusals()
  const parameters = createParameters(baseUrl)
  const send = (method: string, path: string, options: CallOptions) =>
    callSettled(baseUrl, method, path, options)
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
    parameters.note(operationId, path)
    if (!isShown) return answer
    if (method === 'GET') await parameters.noteCursor(operationId, path, sent.headers ?? {})
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
  const refuse: Recorder['refuse'] = async (status, method, path, refused) => {
    const { name, summary, isOwn = false, bodyOf, isHandshake = false, ...sent } = refused
    const where = `/api${path.split('?')[0]}`
    const { operationId } = findOperation(method, where) ?? findOperation('GET', where)
    if (isHandshake) parameters.note(operationId, path)
    const sendAs = async (accept: Record<string, string>) => {
      const fresh = bodyOf ? { body: await bodyOf() } : {}
      const headers = { ...sent.headers, ...accept }
      const answer = isHandshake
        ? await sendHandshake(baseUrl, path, headers)
        : await send(method, path, { ...sent, ...fresh, headers })
      if (answer.status === status) return answer.body
      const text = JSON.stringify(answer.body)
      throw new Error(`${method} ${path}: ${answer.status} ${text}, not ${status}`)
    }
    const answer = await sendAs({})
    const problemDetails = await sendAs({ accept: 'application/problem+json' })
    const refusal = { status, name, summary, answer, problemDetails }
    refusals.add(refusal, { id: operationId, isOwn })
  }
  return {
    as:
      (credential) =>
      (method, path, taking = {}) =>
        take(method, path, { ...taking, headers: { ...credential, ...taking.headers } }),
    refuse,
    addRefusal: refusals.add,
    recorded: () => ({ operations, parameters: parameters.all, refusals: refusals.all }),
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

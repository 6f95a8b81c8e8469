import { createClient as createTransport } from '../gen/client/client.gen.ts'
import { keyed, pageSizes, sockets, streams } from '../gen/operations.gen.ts'
import * as operations from '../gen/sdk.gen.ts'
import type { Answer } from './answer.ts'
import { type ChangesPage, type FollowOptions, followChanges } from './changes.ts'
import { ChangesRemovedError, CofferError, mediaTypeOf, refusalOf } from './coffer-error.ts'
import { paginate, setPageSize } from './pages.ts'
import { type Outcome, withRetries } from './retry.ts'
import { framesOf, type SocketClass, type WatchOptions } from './socket.ts'
import { eventStream, messagesOf, timeoutError } from './stream.ts'

export type { Answer, ChangesPage, FollowOptions, WatchOptions }
export { ChangesRemovedError, CofferError, followChanges, paginate }

/** Settings of a client. Without key and session, browsers send their own cookie. */
export interface ClientOptions {
  /** URL of the server; `/api` at its end may be left out. */
  baseUrl: string
  /** API key: `<API key ID>:<secret>`, or what createApiKey answers. */
  key?: string | { apiKeyId: string; secret?: string }
  /** `Cookie` header of a session, from `sessionOf`. */
  session?: string
  /** Attempts for each call, the first one included. Default: 8, which outlast a restart. */
  attempts?: number
  /** Time for each call with all its attempts, in ms. Default: 60 000. */
  timeoutMs?: number
  /** Sends each attempt in place of the global `fetch`, for example to log it. */
  fetch?: typeof fetch
  /** Returns whether an error of `fetch` is final: the request is not repeated. */
  isFinal?: (error: unknown) => boolean
  /** Needed by Node.js before 22 for sockets: the class of the package `ws`. */
  WebSocket?: SocketClass
}

/** Options of each call, besides those of its operation. */
export interface CallOptions {
  /**
   * `etag` of an earlier answer, which the object must still have; otherwise the call fails with
   * status 412. Null, of an answer without a tag, throws a TypeError.
   */
  ifMatch?: string | null
  /** Replaces the random Idempotency-Key of the operations that accept one. */
  idempotencyKey?: string
  /** Replaces the timeout of the client, in ms. */
  timeoutMs?: number
  signal?: AbortSignal
}

type Operations = typeof operations
type SocketId = keyof typeof sockets
type StreamId = keyof typeof streams
type OptionsOf<Id extends keyof Operations> = Pick<
  NonNullable<Parameters<Operations[Id]>[0]>,
  Extract<keyof NonNullable<Parameters<Operations[Id]>[0]>, 'body' | 'path' | 'query' | 'headers'>
> &
  (Id extends SocketId ? WatchOptions : CallOptions)
type BodyOf<Id extends keyof Operations> = Extract<
  Awaited<ReturnType<Operations[Id]>>,
  { error: undefined }
>['data']
// An answer without a body has the generated type `unknown` or `void`.
type DataOf<Id extends keyof Operations> =
  unknown extends BodyOf<Id> ? null : BodyOf<Id> extends void ? null : BodyOf<Id>
type Parameter<Id extends keyof Operations> = undefined extends Parameters<Operations[Id]>[0]
  ? [options?: OptionsOf<Id>]
  : [options: OptionsOf<Id>]

/**
 * A client: a method for each operation, named by its operationId. Sockets yield their frames, and
 * streams their messages.
 */
export type Coffer = {
  [Id in keyof Operations]: Id extends SocketId | StreamId
    ? (...options: Parameter<Id>) => AsyncGenerator<DataOf<Id>, void, void>
    : (...options: Parameter<Id>) => Promise<Answer<DataOf<Id>>>
}

interface Call extends CallOptions {
  path?: Record<string, string>
  headers?: Record<string, string>
  /** Set for streams: the call resolves with the head of the answer; its data is the open body. */
  parseAs?: 'stream'
}

interface Watch extends WatchOptions {
  path?: Record<string, string>
}

const attemptsDefault = 8
const timeoutMsDefault = 60_000
// After these a read, or a request with an Idempotency-Key, is repeated.
const transientStatuses = [429, 502, 503, 504]
// With Retry-After, any request is repeated: nothing was done (docs/api/errors.md#statuses).
const undoneStatuses = [429, 503]

/**
 * Creates a client of a Coffer server. Each method sends one request, and repeats it if the server
 * is busy. A read (GET), or a request with an Idempotency-Key, which stays the same, is repeated
 * after a lost connection too. Methods throw `CofferError` unless the answer is 2xx, and JSON if it
 * has a body. Throws a TypeError for a credential that no header can have.
 */
export function createClient(options: ClientOptions): Coffer {
  const baseUrl = options.baseUrl.replace(/\/+$/, '').replace(/\/api$/, '')
  const reached = { ever: false }
  const headers = credentialOf(options)
  const transport = createTransport({
    baseUrl,
    headers,
    credentials: options.key ? 'omit' : 'include',
  })
  const methodOf = (id: string, operation: unknown) => {
    const work = { id, operation: operation as never, transport, options, reached }
    if (id in sockets) {
      const path = sockets[id as SocketId]
      return (call: Watch) => watch({ ...work, path, call, baseUrl, headers })
    }
    if (id in streams) return (call: Call = {}) => stream(work, call)
    return (call: Call = {}) => perform({ ...work, call })
  }
  const methods = Object.entries(operations).map(([id, one]) => [id, methodOf(id, one)])
  const coffer = Object.fromEntries(methods)
  for (const [id, size] of Object.entries(pageSizes)) setPageSize(coffer[id], size)
  return coffer
}

/** Returns the `Cookie` header with the session that a sign-in began, for `session`. */
export function sessionOf({ response }: { response: Pick<Response, 'headers'> }): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

type Sent = { data?: unknown; error?: unknown; response?: Response }

/** Returns the body. In a form with a file, the server requires each list as one part in JSON. */
function bodyOf(body: unknown): unknown {
  const fields = Object.entries(body ?? {})
  if (!fields.some(([, value]) => value instanceof Blob)) return body
  const parts = fields.map(([key, value]) => [
    key,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(parts)
}

interface Work {
  id: string
  operation: (options: object) => Promise<Sent>
  transport: ReturnType<typeof createTransport>
  options: ClientOptions
  /** Whether this client has ever had an answer. */
  reached: { ever: boolean }
}

/** Yields the messages of a stream. The timeout of a call applies to its head, not to its body. */
function stream(work: Work, call: Call): AsyncGenerator<unknown, void, void> {
  const headers = { ...call.headers, Accept: eventStream }
  const asked = { ...call, headers, parseAs: 'stream' as const }
  return messagesOf(() => perform({ ...work, call: asked }), { signal: call.signal })
}

async function perform(work: Work & { call: Call }): Promise<Answer<unknown>> {
  const { id, operation, call, transport, options, reached } = work
  const { ifMatch, idempotencyKey, timeoutMs, signal: stop, headers, ...parts } = call
  if (ifMatch === null) throw new TypeError('The answer with this object had no ETag.')
  requireAscii('The Idempotency-Key', idempotencyKey)
  const allowedMs = timeoutMs ?? options.timeoutMs ?? timeoutMsDefault
  const until = performance.now() + allowedMs
  const deadline = new AbortController()
  const end = () => deadline.abort(timeoutError())
  const timer = setTimeout(end, allowedMs)
  const signal = stop ? AbortSignal.any([stop, deadline.signal]) : deadline.signal
  // One request for all attempts: the server compares a repetition byte for byte, and each new form
  // would have another boundary.
  let first: Request | undefined
  const send = (request: Request) => {
    first ??= request
    return (options.fetch ?? globalThis.fetch)(first.clone())
  }
  const sent = {
    ...parts,
    ...('body' in parts ? { body: bodyOf(parts.body) } : {}),
    client: transport,
    fetch: send,
    signal,
    headers: {
      ...(keyed.has(id) ? { 'Idempotency-Key': idempotencyKey ?? randomKey() } : {}),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...headers,
    },
  }
  const attempt = async (): Promise<Outcome<Answer<unknown>>> => {
    const { data, error, response } = await operation(sent)
    reached.ever ||= response !== undefined
    const isRepeatable = keyed.has(id) || first?.method === 'GET'
    if (response === undefined || (response.ok && error !== undefined)) {
      // If no request was created, the options are invalid, so a repetition would fail as well.
      const isTransient = isRepeatable && first !== undefined && !options.isFinal?.(error)
      return { error, isTransient, isUnreached: !reached.ever }
    }
    if (!response.ok) {
      const refusal = refusalOf(response, error)
      const { status, retryAfter } = refusal
      const isUndone = undoneStatuses.includes(status) && retryAfter !== undefined
      const isTransient = isUndone || (isRepeatable && transientStatuses.includes(status))
      return { error: refusal, isTransient, retryAfter }
    }
    if (!isEmpty(response) && !isExpected(response, first)) {
      return { error: new CofferError(response, data), isTransient: false }
    }
    const etag = response.headers.get('etag')
    return { value: { data: isEmpty(response) ? null : data, etag, response } }
  }
  const attempts = options.attempts ?? attemptsDefault
  return withRetries(attempt, { attempts, signal, until }).finally(() => clearTimeout(timer))
}

interface Socket extends Work {
  path: string
  call: Watch
  baseUrl: string
  headers: Record<string, string>
}

function watch(work: Socket): AsyncGenerator<unknown, void, void> {
  const { path, call, baseUrl, headers, options } = work
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(call.path?.[name] ?? ''),
  )
  const Implementation = options.WebSocket ?? globalThis.WebSocket
  if (Implementation === undefined) {
    throw new Error('No WebSocket here: pass that of the package ws to createClient.')
  }
  const url = new URL(
    `${baseUrl}${filled}`,
    (globalThis as { location?: { href: string } }).location?.href,
  )
  url.protocol = url.protocol.replace('http', 'ws')
  const open = () => {
    if (Object.keys(headers).length === 0) return new Implementation(url.href)
    try {
      return new Implementation(url.href, { headers })
    } catch (cause) {
      // Browsers cannot set headers: they take the object for a subprotocol, and throw.
      const text = 'A browser sends no API key with a socket: sign in, and leave out `key`.'
      throw new TypeError(text, { cause })
    }
  }
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? timeoutMsDefault
  // WebSockets do not show the answer to a refused handshake. A GET without an upgrade shows it.
  const findReason = async () => {
    const { onOpen: _, ...asked } = call
    const once = { ...options, attempts: 1 }
    const error = await perform({ ...work, call: asked, options: once }).then(
      () => undefined,
      (reason) => reason,
    )
    return error instanceof CofferError ? { refusal: error } : { cause: error?.cause ?? error }
  }
  return framesOf({ open, findReason }, { ...call, timeoutMs })
}

function credentialOf({ key, session }: ClientOptions): Record<string, string> {
  if (typeof key === 'object' && key.secret === undefined) {
    throw new TypeError('The API key lacks its secret.')
  }
  if (key !== undefined) {
    const text = typeof key === 'string' ? key : `${key.apiKeyId}:${key.secret}`
    if (!/^[\x21-\x7e]+:[\x21-\x7e]+$/.test(text)) {
      throw new TypeError('The API key has to be `<API key ID>:<secret>`, in ASCII.')
    }
    return { authorization: `Basic ${btoa(text)}` }
  }
  requireAscii('The session', session)
  return session === undefined ? {} : { cookie: session }
}

/** Throws a TypeError that names the value; the TypeError of fetch does not name it. */
function requireAscii(name: string, value: string | undefined): void {
  if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return
  throw new TypeError(`${name} has a character that no header can have: only ASCII.`)
}

/** Returns whether a body is JSON, or of a type that the request has asked for. */
function isExpected(response: Response, request: Request | undefined): boolean {
  const type = mediaTypeOf(response)
  return /[/+]json$/.test(type) || request?.headers.get('accept')?.includes(type) === true
}

/** An answer without a type has no body; one without a length may, as proxies leave that out. */
function isEmpty({ status, headers }: Response): boolean {
  return status === 204 || headers.get('content-length') === '0' || !headers.has('content-type')
}

/** Returns 128 random bits. Pages without TLS have no crypto.randomUUID. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

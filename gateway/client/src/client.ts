import { createClient as createTransport } from '../gen/client/client.gen.ts'
import { keyed, sockets } from '../gen/operations.gen.ts'
import * as operations from '../gen/sdk.gen.ts'
import type { Answer } from './answer.ts'
import { CofferError } from './coffer-error.ts'
import { paginate } from './pages.ts'
import { type Outcome, withRetries } from './retry.ts'
import { framesOf, type SocketClass } from './socket.ts'

export type { Answer }
export { CofferError, paginate }

/** Settings of a client. Without key and session, browsers send their own cookie. */
export interface ClientOptions {
  /** URL of the server, without `/api`. */
  baseUrl: string
  /** API key, as createApiKey answers it. */
  key?: { apiKeyId: string; secret?: string }
  /** `Cookie` header of a session, from `sessionOf`. */
  session?: string
  /** Attempts for each call, the first one included. Default: 4. */
  attempts?: number
  /** Time for each call with all its attempts, in ms. Default: 60 000. */
  timeoutMs?: number
  fetch?: typeof fetch
  /** Needed by Node.js before 22 for sockets: the class of the package `ws`. */
  WebSocket?: SocketClass
}

/** Options of each call, besides those of its operation. */
export interface CallOptions {
  /** Tag that the object must still have; otherwise the call fails with status 412. */
  ifMatch?: string
  /** Replaces the random Idempotency-Key of the operations that accept one. */
  idempotencyKey?: string
  /** Replaces the timeout of the client, in ms. */
  timeoutMs?: number
  signal?: AbortSignal
}

type Operations = typeof operations
type SocketId = keyof typeof sockets
type OptionsOf<Id extends keyof Operations> = Pick<
  NonNullable<Parameters<Operations[Id]>[0]>,
  Extract<keyof NonNullable<Parameters<Operations[Id]>[0]>, 'body' | 'path' | 'query' | 'headers'>
> &
  CallOptions
type DataOf<Id extends keyof Operations> = Extract<
  Awaited<ReturnType<Operations[Id]>>,
  { error: undefined }
>['data']
type Parameter<Id extends keyof Operations> = undefined extends Parameters<Operations[Id]>[0]
  ? [options?: OptionsOf<Id>]
  : [options: OptionsOf<Id>]

/** A client: a method for each operation, named by its operationId. Sockets yield their frames. */
export type Coffer = {
  [Id in keyof Operations]: Id extends SocketId
    ? (...options: Parameter<Id>) => AsyncGenerator<DataOf<Id>, void, void>
    : (...options: Parameter<Id>) => Promise<Answer<DataOf<Id>>>
}

interface Call extends CallOptions {
  path?: Record<string, string>
  headers?: Record<string, string>
}

const attemptsDefault = 4
const timeoutMsDefault = 60_000
// Bad gateway, unavailable, gateway timeout, too many requests.
const transientStatuses = [429, 502, 503, 504]

/**
 * Creates a client of a Coffer server. Each method sends one request, and repeats it if the
 * connection is lost or the server is busy: only reads (GET), and writes with an Idempotency-Key,
 * which stays the same. Methods throw `CofferError` unless the status is 2xx.
 */
export function createClient(options: ClientOptions): Coffer {
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const headers = credentialOf(options)
  const transport = createTransport({
    baseUrl,
    headers,
    credentials: options.key ? 'omit' : 'include',
  })
  const methods = Object.entries(operations).map(([id, operation]) => [
    id,
    id in sockets
      ? (call: Call) => watch({ path: sockets[id as SocketId], call, baseUrl, headers, options })
      : (call: Call = {}) =>
          perform({ id, operation: operation as never, call, transport, options }),
  ])
  return Object.fromEntries(methods)
}

/** Returns the `Cookie` header with the session that a sign-in began, for `session`. */
export function sessionOf({ response }: { response: Response }): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

type Sent = { data?: unknown; error?: unknown; response?: Response }

async function perform(work: {
  id: string
  operation: (options: object) => Promise<Sent>
  call: Call
  transport: ReturnType<typeof createTransport>
  options: ClientOptions
}): Promise<Answer<unknown>> {
  const { id, operation, call, transport, options } = work
  const { ifMatch, idempotencyKey, timeoutMs, signal: stop, headers, ...parts } = call
  const deadline = AbortSignal.timeout(timeoutMs ?? options.timeoutMs ?? timeoutMsDefault)
  const signal = stop ? AbortSignal.any([stop, deadline]) : deadline
  // One request for all attempts: the server compares a repetition byte for byte, and each new form
  // would have another boundary.
  let first: Request | undefined
  const send = (request: Request) => {
    first ??= request
    return (options.fetch ?? globalThis.fetch)(first.clone())
  }
  const sent = {
    ...parts,
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
    const isRepeatable = keyed.has(id) || first?.method === 'GET'
    if (response === undefined || (response.ok && error !== undefined)) {
      // Without a request, the options are at fault, so a repetition would fail as well.
      return { error, isTransient: isRepeatable && first !== undefined }
    }
    if (!response.ok) {
      const refusal = new CofferError(response, error)
      const isTransient = isRepeatable && transientStatuses.includes(response.status)
      return { error: refusal, isTransient, retryAfter: refusal.retryAfter }
    }
    return { value: { data: isEmpty(response) ? null : data, etag: tagOf(response), response } }
  }
  return withRetries(attempt, { attempts: options.attempts ?? attemptsDefault, signal })
}

function watch(work: {
  path: string
  call: Call
  baseUrl: string
  headers: Record<string, string>
  options: ClientOptions
}): AsyncGenerator<unknown, void, void> {
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
  // Browsers take no headers: they send the session's cookie themselves.
  const open = () =>
    Object.keys(headers).length > 0
      ? new Implementation(url.href, { headers })
      : new Implementation(url.href)
  return framesOf(open as never, call.signal)
}

function credentialOf({ key, session }: ClientOptions): Record<string, string> {
  if (key && key.secret === undefined) throw new TypeError('The API key lacks its secret.')
  if (key) return { authorization: `Basic ${btoa(`${key.apiKeyId}:${key.secret}`)}` }
  return session === undefined ? {} : { cookie: session }
}

function isEmpty({ status, headers }: Response): boolean {
  return status === 204 || headers.get('content-length') === '0'
}

function tagOf({ headers }: Response): string | null {
  return headers.get('etag')
}

/** Returns 128 random bits. Pages without TLS have no crypto.randomUUID. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

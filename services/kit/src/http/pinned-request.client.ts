import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { request as openSecurely, Agent as SecureAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Returns the IP addresses of a host name, at least one; throws if it is unknown. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The reason why there is no answer; `cause` is the error of the system, if there is one. */
export class Unanswered extends Error {
  readonly reason: 'no-answer' | 'private-address' | 'too-large'

  constructor(reason: Unanswered['reason'], cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** A request to the addresses that `lookup` returns. */
export interface PinnedRequest {
  lookup: LookupFunction
  headers: Record<string, string>
  signal: AbortSignal
  /** GET by default. */
  method?: 'GET' | 'POST'
  body?: string
  /** Maximum size in bytes of the answer's body; 10 MiB by default. */
  bodyMax?: number
  /**
   * Whether the beginning of the body is enough: a longer body is cut, and a broken connection
   * returns the part received so far. By default these throw `too-large` and `no-answer`.
   */
  isCut?: boolean
  /** Keeps connections for further requests to the same addresses (`createAgent`). */
  agent?: Agent
}

/** An answer with its body. */
export interface Answer {
  status: number
  location: string | null
  retryAfter: string | null
  body: Buffer
}

const bodyMaxDefault = 10 * 1024 * 1024

/**
 * DNS pinning: resolves the host of a URL, and returns a lookup function that only returns these
 * addresses, so that a change of DNS between check and connection has no effect. Throws Unanswered:
 * `private-address` if one of the addresses, or an address in the URL, is not public, unless
 * `allowsPrivate`.
 */
export async function pinHost(
  { hostname }: URL,
  of: { allowsPrivate: boolean; signal: AbortSignal; resolve?: Resolve | undefined },
): Promise<LookupFunction> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const resolve = of.resolve ?? ((name) => lookUp(name, { all: true }))
  const addresses = await before(of.signal, resolve(host)).catch((error) => {
    throw new Unanswered('no-answer', error)
  })
  const isPublic = addresses.every(({ address }) => isPublicAddress(address))
  if (!of.allowsPrivate && !isPublic) throw new Unanswered('private-address')
  return lookupOf([...addresses])
}

/** Returns a keep-alive agent for the requests to a URL, with a maximum number of connections. */
export function createAgent(
  { protocol }: URL,
  { socketsMax, timeoutMs }: { socketsMax: number; timeoutMs: number },
): Agent {
  const Kind = protocol === 'https:' ? SecureAgent : Agent
  return new Kind({ keepAlive: true, maxSockets: socketsMax, timeout: timeoutMs })
}

/**
 * Sends a request and reads the answer, without following redirects. Throws Unanswered: `no-answer`
 * if the signal aborts or the connection breaks before the last byte, `too-large` for a body above
 * `bodyMax`.
 */
export async function requestPinned(url: URL, of: PinnedRequest): Promise<Answer> {
  try {
    const response = await send(url, of)
    const body = await readBody(response, of)
    const { statusCode: status = 0, headers } = response
    const location = headers.location ?? null
    return { status, location, retryAfter: headers['retry-after'] ?? null, body }
  } catch (error) {
    throw error instanceof Unanswered ? error : new Unanswered('no-answer', error)
  }
}

function send(url: URL, { body, ...of }: PinnedRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { lookup, headers, signal, method = 'GET', agent = false } = of
  const start = url.protocol === 'https:' ? openSecurely : open
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const options = { lookup, headers: { ...headers, ...length }, signal, method, agent }
  const request: ClientRequest = start(url, options, resolve)
  request.on('error', reject)
  request.on('close', () => reject(new Error('the connection was closed')))
  request.end(body)
  return promise
}

/** Returns the body. Throws if it is too large, or the connection breaks. */
async function readBody(
  response: IncomingMessage,
  { bodyMax = bodyMaxDefault, isCut = false }: PinnedRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      chunks.push(chunk)
      // Leaving the loop closes the connection.
      if (size > bodyMax) break
    }
  } catch (error) {
    if (!isCut) throw error
  }
  if (size > bodyMax && !isCut) throw new Unanswered('too-large')
  return Buffer.concat(chunks).subarray(0, bodyMax)
}

/** Returns a lookup function with these addresses for every name. Throws Unanswered for none. */
function lookupOf(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses
  if (first === undefined) {
    throw new Unanswered('no-answer', new Error('the name has no address'))
  }
  return (_hostname, { all }, done) => {
    if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
}

/** Returns the promised value; throws the reason of the signal if it aborts first. */
function before<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([value, promise])
}

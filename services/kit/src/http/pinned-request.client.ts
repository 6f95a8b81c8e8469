import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { request as openSecurely } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Returns the IP addresses of a host name, at least one; throws if it is unknown. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** A request to the addresses that `lookup` returns. */
export interface PinnedRequest {
  lookup: LookupFunction
  headers: Record<string, string>
  signal: AbortSignal
  /** GET by default. */
  method?: 'GET' | 'POST'
  body?: string
  /** Bytes of the answer's body that are read; 10 MiB by default. */
  bodyMax?: number
  /** Whether a longer body is cut; by default it is `too-large`. */
  isCut?: boolean
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
 * Resolves the host of a URL and returns a lookup function that only knows these addresses (DNS
 * pinning), so that a name that changes between check and connection is harmless. Returns
 * `private-address` if one of the addresses, or an address in the URL, is not public, unless
 * `allowsPrivate`.
 */
export async function pinHost(
  { hostname }: URL,
  of: { allowsPrivate: boolean; signal: AbortSignal; resolve?: Resolve | undefined },
): Promise<LookupFunction | 'no-answer' | 'private-address'> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const resolve = of.resolve ?? ((name) => lookUp(name, { all: true }))
  try {
    const addresses = await before(of.signal, resolve(host))
    if (of.allowsPrivate || addresses.every(({ address }) => isPublicAddress(address))) {
      return lookupOf([...addresses])
    }
    return 'private-address'
  } catch {
    return 'no-answer'
  }
}

/**
 * Sends a request and reads the answer. Follows no redirect. Returns `no-answer` if the signal ends
 * or the connection breaks before the last byte, and `too-large` for a body above `bodyMax`.
 */
export async function requestPinned(
  url: URL,
  of: PinnedRequest,
): Promise<Answer | 'no-answer' | 'too-large'> {
  try {
    const response = await send(url, of)
    const body = await readBody(response, of)
    if (body === null) return 'too-large'
    const { statusCode: status = 0, headers } = response
    const location = headers.location ?? null
    return { status, location, retryAfter: headers['retry-after'] ?? null, body }
  } catch {
    return 'no-answer'
  }
}

function send(url: URL, { body, ...of }: PinnedRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { lookup, headers, signal, method = 'GET' } = of
  const start = url.protocol === 'https:' ? openSecurely : open
  const options = { lookup, headers, signal, method, agent: false }
  const request: ClientRequest = start(url, options, resolve)
  request.on('error', reject)
  request.on('close', () => reject(new Error('the connection was closed')))
  request.end(body)
  return promise
}

/** Returns the body, null if it is too large. Throws if the connection breaks. */
async function readBody(
  response: IncomingMessage,
  { bodyMax = bodyMaxDefault, isCut = false }: PinnedRequest,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    chunks.push(chunk)
    // Leaving the loop closes the connection.
    if (size > bodyMax) return isCut ? Buffer.concat(chunks).subarray(0, bodyMax) : null
  }
  return Buffer.concat(chunks)
}

/** Returns a lookup function that answers these addresses for every name. Throws without one. */
export function lookupOf(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses
  if (first === undefined) throw new Error('the name has no address')
  return (_hostname, { all }, done) => {
    if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
}

/** Returns the promised value; throws the reason of a signal that is aborted earlier. */
export function before<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([value, promise])
}

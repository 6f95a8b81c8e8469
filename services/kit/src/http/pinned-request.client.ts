import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Returns the IP addresses of a host name, at least one; throws if it is unknown. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** An answer with its whole body. */
export interface Answer {
  status: number
  location: string | null
  retryAfter: string | null
  body: Buffer
}

const bodySizeMax = 10 * 1024 * 1024

/**
 * Resolves the host of a URL and returns a lookup function that only knows these addresses (DNS
 * pinning), so that a name that changes between check and connection is harmless. Returns
 * `private-address` if one of the addresses is not public (docs/banks/feed.md#calls).
 * IP addresses and `localhost` in the URL need no permission: the operator allowed that URL.
 */
export async function pinHost(
  { hostname }: URL,
  of: { allowsPrivate: boolean; signal: AbortSignal; resolve?: Resolve | undefined },
): Promise<LookupFunction | 'no-answer' | 'private-address'> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const resolve = of.resolve ?? ((name) => lookUp(name, { all: true }))
  try {
    const addresses = await before(of.signal, resolve(host))
    const isNamed = isIP(host) !== 0 || host === 'localhost'
    const isAllowed = isNamed || of.allowsPrivate
    if (isAllowed || addresses.every(({ address }) => isPublicAddress(address))) {
      return lookupOf([...addresses])
    }
    return 'private-address'
  } catch {
    return 'no-answer'
  }
}

/**
 * Sends a GET request to the addresses that `lookup` returns and reads the whole answer. Follows no
 * redirect. Returns `no-answer` if the signal ends or the connection breaks before the last byte,
 * and `too-large` for a body of more than 10 MiB.
 */
export async function requestPinned(
  url: URL,
  of: { lookup: LookupFunction; headers: Record<string, string>; signal: AbortSignal },
): Promise<Answer | 'no-answer' | 'too-large'> {
  try {
    const response = await send(url, of)
    const body = await readBody(response)
    if (body === null) return 'too-large'
    const { statusCode: status = 0, headers } = response
    const location = headers.location ?? null
    return { status, location, retryAfter: headers['retry-after'] ?? null, body }
  } catch {
    return 'no-answer'
  }
}

function send(url: URL, of: Parameters<typeof requestPinned>[1]): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = { ...of, agent: false }
  const start = url.protocol === 'https:' ? getSecurely : get
  const request: ClientRequest = start(url, options, resolve)
  request.on('error', reject)
  request.on('close', () => reject(new Error('the connection was closed')))
  return promise
}

/** Returns the body, null if it has more than 10 MiB. Throws if the connection breaks. */
async function readBody(response: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > bodySizeMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function lookupOf(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses
  if (first === undefined) throw new Error('the name has no address')
  return (_hostname, { all }, done) => {
    if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
}

/** Returns the promised value; throws the reason of a signal that is aborted earlier. */
function before<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([value, promise])
}

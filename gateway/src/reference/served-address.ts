import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type StaticFile, staticFile } from './static-file.ts'

/** Address in the examples of docs/: `npm start` with its default port. */
const example = /(http:\/\/)?localhost:4000\b/g

/** A host that is safe in HTML without escaping: a name or an IP address, with an optional port. */
const plainHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i

/**
 * Maximum number of cached copies, of about 50 kB each. Limited, as clients choose the Host header.
 */
const copiesMax = 500

/** Returns a page with the address of the server in its examples. */
export type AddressPage = (page: StaticFile, request: RequestedAddress) => StaticFile

type RequestedAddress = Pick<FastifyRequest, 'host' | 'protocol'>

/**
 * Returns a function that replaces the address in a page's examples: by the external URL, or
 * without one by the address of the request, with `X-Forwarded-Proto` and `X-Forwarded-Host` of a
 * trusted proxy. Pages without examples stay unchanged, and so do all pages for an unusual host.
 */
export function createAddressPage(externalUrl: string): AddressPage {
  const own = externalUrl.replace(/\/+$/, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const copies = new LRUCache<string, StaticFile>({ max: copiesMax })
  return (page, request) => {
    const address = own || addressOf(request)
    if (address === null) return page
    const key = `${page.hash} ${address}`
    const found = copies.get(key)
    if (found !== undefined) return found
    const text = page.bytes.toString()
    const shown = text.replaceAll(example, () => address)
    const made = shown === text ? page : staticFile(page.type, shown)
    copies.set(key, made)
    return made
  }
}

function addressOf({ host, protocol }: RequestedAddress): string | null {
  return plainHost.test(host) ? `${protocol}://${host}` : null
}

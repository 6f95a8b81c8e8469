import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type StaticFile, staticFile } from './static-file.ts'

/** The address of `npm start` with its default port, in the examples of docs/. */
const example = /(http:\/\/)?localhost:4000\b/g

/** A host that needs no escape in HTML: a name or an address, with an optional port. */
const plainHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i

/** Copies of pages that are kept, of some 50 kB each: requests choose their Host. */
const copiesMax = 500

/** Returns a page with the address of the server in its examples. */
export type AddressPage = (page: StaticFile, request: RequestedAddress) => StaticFile

type RequestedAddress = Pick<FastifyRequest, 'host' | 'protocol'>

/**
 * Returns a function that writes the address of the server into the examples of a page: the
 * external URL, or without one the address that the request has come to. Its scheme and host are
 * those of `X-Forwarded-Proto` and `X-Forwarded-Host` behind a trusted proxy. Pages without
 * examples, and requests with an unusual host, get the page as it is.
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

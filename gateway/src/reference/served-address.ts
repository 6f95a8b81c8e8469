import type { FastifyRequest } from 'fastify'
import { type StaticFile, staticFile } from './static-file.ts'

/** The address of `npm start` with its default port, in the examples of docs/. */
const example = /(http:\/\/)?localhost:4000\b/g

/** A host that needs no escape in HTML: a name or an address, with an optional port. */
const plainHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i

/** Copies of a page that are kept. Beyond them, all are made again: requests choose their Host. */
const copiesMax = 8

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
  const copies = new WeakMap<StaticFile, Map<string, StaticFile>>()
  return (page, request) => {
    const address = own || addressOf(request)
    if (address === null) return page
    const kept = copies.get(page) ?? new Map<string, StaticFile>()
    const found = kept.get(address)
    if (found !== undefined) return found
    const text = page.bytes.toString()
    const shown = text.replaceAll(example, () => address)
    const made = shown === text ? page : staticFile(page.type, shown)
    if (kept.size >= copiesMax) kept.clear()
    copies.set(page, kept.set(address, made))
    return made
  }
}

function addressOf({ host, protocol }: RequestedAddress): string | null {
  return plainHost.test(host) ? `${protocol}://${host}` : null
}

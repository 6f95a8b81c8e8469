import { z } from 'zod'

/**
 * Returns a position in a list as a cursor, in base64url. Clients treat a cursor as opaque, so its
 * content may change. A cursor is no secret: the list still checks the caller.
 */
export function encodeCursor(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Returns the Link header to the next page of the list at `url` (RFC 8288 section 3). */
export function nextPageLink(url: string, position: readonly string[]): string {
  const next = new URL(url, 'http://localhost')
  next.searchParams.delete('offset')
  next.searchParams.set('after', encodeCursor(position))
  return `<${next.pathname}${next.search}>; rel="next"`
}

/** Appended to the descriptions of lists whose next page is in a Link header. */
export const pageText =
  'The Link header has the URL of the next page; a page may have fewer entries than limit, and a ' +
  'next page exists as long as there is a Link header (docs/api.md#paging).'

/** Returns the position in a cursor, parsed by the list's schema; null if it does not match. */
export function decodeCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string,
): z.output<Schema> | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return z.safeParse(schema, position).data ?? null
  } catch {
    return null
  }
}

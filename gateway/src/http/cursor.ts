import { z } from 'zod'

/**
 * A place in a list, for `after`: opaque to clients, so that what it is made of may change. It is
 * no secret and proves nothing; the list it is used on still belongs to the caller alone.
 */
export function cursorOf(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The Link header that leads from a page to the next one (RFC 8288 section 3). */
export function linkToNext(url: string, place: readonly string[]): string {
  const next = new URL(url, 'http://localhost')
  next.searchParams.delete('offset')
  next.searchParams.set('after', cursorOf(place))
  return `<${next.pathname}${next.search}>; rel="next"`
}

/** The place a cursor stands for, as its list reads it; null where it is none of its cursors. */
export function placeOf<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string,
): z.output<Schema> | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return z.safeParse(schema, place).data ?? null
  } catch {
    return null
  }
}

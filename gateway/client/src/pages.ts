import type { Answer } from './answer.ts'

/** An answer with a page of entries; null has none. */
type Page<Entry> = Entry[] | { entries: Entry[] } | null

/** A method that lists entries by pages. */
type List<Options, Entry> = (options: Options) => Promise<Answer<Page<Entry>>>

/**
 * Yields the entries of a list, page by page: follows `Link` headers with `rel="next"` (RFC 8288)
 * until there is none. `query.limit` is the size of a page.
 */
export async function* paginate<Options extends { query?: object }, Entry>(
  list: List<Options, Entry>,
  options: Options,
): AsyncGenerator<Entry, void, void> {
  let query = options.query
  for (;;) {
    const { data, response } = await list({ ...options, query: { limit: 100, ...query } })
    yield* Array.isArray(data) ? data : (data?.entries ?? [])
    const after = nextCursor(response)
    if (after === null) return
    query = { ...query, after }
  }
}

function nextCursor(response: Response): string | null {
  const link = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(response.headers.get('link') ?? '')
  return link?.[1] ? new URL(link[1], response.url).searchParams.get('after') : null
}

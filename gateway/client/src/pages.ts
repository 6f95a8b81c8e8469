import type { Answer } from './answer.ts'

/** An answer with a page of entries; null has none. */
type Page<Entry> = Entry[] | { entries: Entry[] } | null

/** A method that lists entries by pages. */
type List<Options, Entry> = (options: Options) => Promise<Answer<Page<Entry>>>

const pageSizes = new WeakMap<object, number>()

/** Sets the largest page that the server accepts of a method that lists entries. */
export function setPageSize(list: object, size: number): void {
  pageSizes.set(list, size)
}

/**
 * Yields the entries of a list, page by page: follows `Link` headers with `rel="next"` (RFC 8288)
 * until there is none. `query.limit` is the size of a page, by default the largest one.
 */
export async function* paginate<Options extends { query?: object } | undefined, Entry>(
  list: List<Options, Entry>,
  ...given: undefined extends Options ? [options?: Options] : [options: Options]
): AsyncGenerator<Entry, void, void> {
  const [options] = given
  const limit = pageSizes.get(list)
  let query: { limit?: number; offset?: unknown } = { ...(limit && { limit }), ...options?.query }
  for (;;) {
    const { data, response } = await list({ ...options, query } as Options)
    yield* Array.isArray(data) ? data : (data?.entries ?? [])
    const after = nextCursor(response)
    if (after === null) return
    // Without `offset`: the cursor of the next page already follows the entries that it skipped.
    const { offset: _, ...rest } = query
    query = { ...rest, after } as typeof query
  }
}

function nextCursor(response: Response): string | null {
  const link = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(response.headers.get('link') ?? '')
  return link?.[1] ? new URL(link[1], 'http://localhost').searchParams.get('after') : null
}

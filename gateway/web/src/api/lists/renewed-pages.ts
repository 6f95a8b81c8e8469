/** A page of a list with cursor pagination. */
export interface Page<Item> {
  items: Item[]
  /** Cursor of the next page; null at the end. */
  next: string | null
  /** Whether the page may be stale. */
  isOld?: boolean
}

/** The first and the last page of a list that are in view. */
export interface Range {
  from: number
  to: number
}

/** Fetches the page after a cursor; an empty cursor is the start of the list. */
export type Ask<Item> = (after: string) => Promise<Page<Item>>

/**
 * Returns the pages of a list after a change. Refetches only those in view and marks the others as
 * stale, so that the cost does not grow with the list. Later pages are dropped if their cursors no
 * longer match, because rows were inserted or deleted.
 */
export async function renewPages<Item>(
  pages: Page<Item>[],
  seen: Range,
  ask: Ask<Item>,
): Promise<Page<Item>[]> {
  const end = Math.max(0, pages.length - 1)
  const from = Math.max(0, Math.min(seen.from, end))
  const before = pages.slice(0, from).map(old)
  const renewed: Page<Item>[] = []
  let after = before.at(-1)?.next ?? ''
  for (let at = from; at === from || at <= Math.min(seen.to, end); at += 1) {
    const page = await ask(after)
    renewed.push(page)
    if (page.next === null) return [...before, ...renewed]
    after = page.next
  }
  const last = from + renewed.length - 1
  const isFollowed = pages[last]?.next === after
  return [...before, ...renewed, ...(isFollowed ? pages.slice(last + 1).map(old) : [])]
}

function old<Item>(page: Page<Item>): Page<Item> {
  return page.isOld ? page : { ...page, isOld: true }
}

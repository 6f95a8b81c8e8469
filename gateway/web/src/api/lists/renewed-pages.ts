/** A page of a list that the server has by cursor. */
export interface Page<Item> {
  items: Item[]
  /** Cursor of the next page; null at the end. */
  next: string | null
  /** Whether something may have changed since the page was read. */
  isOld?: boolean
}

/** The first and the last page of a list that are in view. */
export interface Range {
  from: number
  to: number
}

/** Reads the page behind a cursor; an empty one stands for the begin. */
export type Ask<Item> = (after: string) => Promise<Page<Item>>

/**
 * Returns the pages of a list after a change: those in view are read again, others are kept as old
 * ones, so that the cost does not depend on the length of the list. Pages behind those in view are
 * dropped if they no longer follow, because entries were inserted or deleted.
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

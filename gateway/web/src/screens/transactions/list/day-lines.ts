import type { Transaction } from '@coffer/client/types'
import { dayOf } from '../../../format/days.ts'

/** A line of the list, from a page of it: the heading of a day, or a transaction of that day. */
export type Line = { key: string; day: string; page: number } & (
  | { kind: 'day' }
  | { kind: 'transaction'; transaction: Transaction }
)

interface Place {
  timezone: string
  /** Day of the last line before the page. */
  before: string
  page: number
}

const known = new WeakMap<Transaction[], Place & { lines: Line[] }>()

/**
 * Returns the lines of pages of transactions that are in order of their days. Those of a page that
 * is known are the same objects again, so that a further page costs its own lines alone.
 */
export function linesOf(pages: Transaction[][], timezone: string): Line[] {
  let before = ''
  return pages.flatMap((items, page) => {
    const found = known.get(items)
    const isSame = found?.before === before && found.page === page && found.timezone === timezone
    const lines = isSame ? found.lines : linesOfPage(items, { before, timezone, page })
    known.set(items, { timezone, before, page, lines })
    before = lines.at(-1)?.day ?? before
    return lines
  })
}

function linesOfPage(items: Transaction[], { before, timezone, page }: Place): Line[] {
  let former = before
  return items.flatMap((transaction): Line[] => {
    const day = dayOf(transaction.date, timezone)
    const key = transaction.transactionId
    const row = { kind: 'transaction', key, day, page, transaction } as const
    if (day === former) return [row]
    former = day
    return [{ kind: 'day', key: day, day, page }, row]
  })
}

import type { Transaction } from '@coffer/client/types'
import { dayOf } from '../../../format/days.ts'

/** A line of the list with the index of its page: the heading of a day, or a transaction. */
export type Line = { key: string; day: string; page: number } & (
  | { kind: 'day' }
  | { kind: 'transaction'; transaction: Transaction }
)

interface Place {
  timezone: string
  /** Day of the last line on the previous page. */
  before: string
  page: number
}

const known = new WeakMap<Transaction[], Place & { lines: Line[] }>()

/**
 * Returns the lines of pages whose transactions are ordered by day. Lines of an unchanged page are
 * cached, so that a further page costs only its own lines.
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

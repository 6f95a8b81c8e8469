import type { Transaction } from '@coffer/client/types'

/** A line of the list: the heading of a day, or a transaction of it. */
type Line =
  | { kind: 'day'; key: string; day: string }
  | { kind: 'transaction'; key: string; day: string; transaction: Transaction }

/** Returns the lines of transactions that are in order of their days. */
export function linesOf(all: Transaction[], dayOf: (instant: string) => string): Line[] {
  let former = ''
  return all.flatMap((transaction): Line[] => {
    const day = dayOf(transaction.date)
    const row = { kind: 'transaction', key: transaction.transactionId, day, transaction } as const
    if (day === former) return [row]
    former = day
    return [{ kind: 'day', key: day, day }, row]
  })
}

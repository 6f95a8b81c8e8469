import type { Forecast } from '@coffer/client/types'

type Change = Forecast['free'][number]

/** Merges the changes of free-to-use with days on which only envelopes pay bills. */
export function withDueDays({ free, events }: Pick<Forecast, 'free' | 'events'>): Change[] {
  const known = new Set(free.map(({ date }) => date))
  const isDue = ({ date, spending }: Forecast['events'][number]) =>
    !known.has(date) && spending.some(({ transactionAmount }) => transactionAmount > 0)
  const before = (date: string) => free.findLast((one) => one.date < date)?.free ?? 0
  const due = events.filter(isDue).map(({ date }) => ({
    date,
    deposit: 0,
    contribution: 0,
    paid: 0,
    free: before(date),
  }))
  return [...free, ...due].toSorted((a, b) => (a.date < b.date ? -1 : 1))
}

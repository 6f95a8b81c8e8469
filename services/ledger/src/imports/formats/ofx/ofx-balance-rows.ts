/** A transaction of a statement: its place, its day, and whether a balance is mentioned in it. */
export type NamedRow = {
  at: number
  /** In minor units, positive when money leaves the account. */
  amount: bigint
  day: number
  isNamed: boolean
}

/** One row alone may be a booking on an account that was empty. */
const PROVEN_MIN = 2

/**
 * Returns the places of rows that mention a balance and have the amount of it: that at the start or
 * the end of their day, by the other rows and the booked balance behind them. Of fewer than two
 * none is proven.
 */
export function provenBalances(rows: readonly NamedRow[], booked: bigint): ReadonlySet<number> {
  const days = Map.groupBy(rows, ({ day }) => day)
  const proven: number[] = []
  let balance = booked
  for (const day of [...days.keys()].sort((one, other) => other - one)) {
    const ofDay = days.get(day) ?? []
    const moved = ofDay.reduce((sum, one) => (one.isNamed ? sum : sum + one.amount), 0n)
    const possible = [balance, balance + moved]
    const named = ofDay.filter(({ amount, isNamed }) => isNamed && possible.includes(-amount))
    proven.push(...named.map(({ at }) => at))
    balance += moved
  }
  return new Set(proven.length < PROVEN_MIN ? [] : proven)
}

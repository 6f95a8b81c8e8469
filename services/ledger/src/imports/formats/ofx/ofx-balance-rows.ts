/** A transaction of a statement; `at` is its index in the file, `isNamed` if it names a balance. */
export type NamedRow = {
  at: number
  /** In minor units, positive when money leaves the account. */
  amount: bigint
  day: number
  isNamed: boolean
}

/**
 * Minimum number of rows that look like balances. A single one may be a booking: the first payment
 * into an empty account equals the balance, too.
 */
const PROVEN_MIN = 2

/**
 * Returns the indexes of rows that state a balance and are no bookings, so that the import skips
 * them: their text mentions a balance, and their amount equals the balance at the start or end of
 * their day, which is the booked balance minus all later bookings. A single such row is kept.
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

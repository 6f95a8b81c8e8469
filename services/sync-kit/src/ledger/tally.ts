/** Numbers of transactions in a sync. */
export interface Tally {
  added: number
  changed: number
  /** Pending transactions that were posted, and transactions recognized under a new ID. */
  matched: number
  removed: number
  skipped: number
}

/** Returns a tally with zeros. */
export function emptyTally(): Tally {
  return { added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 }
}

/** Adds the numbers of a step to a tally. */
export function countIn(tally: Tally, more: Partial<Tally>): void {
  for (const one of ['added', 'changed', 'matched', 'removed', 'skipped'] as const) {
    tally[one] += more[one] ?? 0
  }
}

/** Numbers of transactions in a sync. */
export interface Tally {
  added: number
  changed: number
  /** Pending ones that were posted, and others that were recognized under a new ID. */
  matched: number
  removed: number
  skipped: number
}

/** Returns a tally of nothing. */
export function emptyTally(): Tally {
  return { added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 }
}

/** Adds the numbers of a step to a tally. */
export function countIn(tally: Tally, more: Partial<Tally>): void {
  for (const one of ['added', 'changed', 'matched', 'removed', 'skipped'] as const) {
    tally[one] += more[one] ?? 0
  }
}

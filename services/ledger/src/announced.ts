/** Bank accounts whose transactions were lately said to have changed. Instants are in ms. */
export interface Announced {
  /** Whether what changes at `now` is covered by what was said before. */
  covers: (bankAccountId: string, now: number) => boolean
  /** Notes that it was said, once that is committed. */
  note: (bankAccountId: string, now: number) => void
}

/**
 * Remembers for `coveredMs` what was said. Whoever acts on it waits at least that long, and so sees
 * what changes meanwhile too: many writes in a row need one announcement, not one each.
 */
export function createAnnounced(coveredMs: number): Announced {
  const saidAt = new Map<string, number>()
  const covers = (at: number, now: number) => now - at < coveredMs
  return {
    covers: (bankAccountId, now) => covers(saidAt.get(bankAccountId) ?? -Infinity, now),
    note: (bankAccountId, now) => {
      saidAt.delete(bankAccountId)
      for (const [key, at] of saidAt) {
        if (covers(at, now)) break
        saidAt.delete(key)
      }
      saidAt.set(bankAccountId, now)
    },
  }
}

import fc from 'fast-check'

/** Random numbers of a step of a script: the purchase that it concerns, days, and a variant. */
export interface Chance {
  pick: number
  days: number
  variant: number
}

export const chances: fc.Arbitrary<Chance> = fc.record({
  pick: fc.nat(1_000),
  days: fc.nat(1_000),
  variant: fc.nat(1_000),
})

/** Returns the element that a random number chooses; undefined of an empty list. */
export function choose<One>(all: readonly One[], pick: number): One | undefined {
  return all[pick % Math.max(1, all.length)]
}

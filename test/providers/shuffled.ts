/** Returns the values in another order (Fisher and Yates); the seed determines it. */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const mixed = [...values]
  let state = seed
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    // Linear congruential generator of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = state % (last + 1)
    const [one, two] = [mixed[last] as T, mixed[other] as T]
    mixed[last] = two
    mixed[other] = one
  }
  return mixed
}

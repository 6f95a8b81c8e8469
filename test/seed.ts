import fc from 'fast-check'

/** Seed of all random input: 1 in `npm test`, a new number in each round of a long run. */
export const seed = Number(process.env.COFFER_TEST_SEED ?? 1)

fc.configureGlobal({ seed })

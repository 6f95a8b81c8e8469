import fc from 'fast-check'

/** The seed of all random input: constant in `npm test`, a new one for each round of a long run. */
export const seed = Number(process.env.COFFER_TEST_SEED ?? 1)

fc.configureGlobal({ seed })

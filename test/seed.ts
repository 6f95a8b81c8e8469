import fc from 'fast-check'

/** Seed of all random test input: 1 in `npm test`, another number in each round of `test:long`. */
export const seed = Number(process.env.COFFER_TEST_SEED ?? 1)

/** Whether a round of `test:long` runs: larger samples than in `npm test`, which has 6 minutes. */
export const isLong = process.env.COFFER_TEST_SEED !== undefined

fc.configureGlobal({ seed })

import fc from 'fast-check'

/** The seed of all random input: one for every `npm test`, a new one for each long run. */
export const seed = Number(process.env.COFFER_TEST_SEED ?? 1)

fc.configureGlobal({ seed })

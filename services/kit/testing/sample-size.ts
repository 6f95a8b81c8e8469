/**
 * Returns the size of a random sample: a quarter of `count` in `npm test`, all of it in each round
 * of `npm run test:long`, which has seeds of its own.
 */
export function sampleSize(count: number): number {
  return process.env.COFFER_TEST_SEED === undefined ? Math.ceil(count / 4) : count
}

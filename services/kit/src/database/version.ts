/**
 * The version after `previous`, a hybrid logical clock: microseconds of the wall clock, and always
 * greater than `previous`. So versions stay in order after a restore that lost commits, whatever
 * the clocks say. It stays below 2^53 until the year 2255.
 */
export function nextVersion(previous: bigint, now: Date): bigint {
  const clock = BigInt(now.getTime()) * 1000n
  return clock > previous ? clock : previous + 1n
}

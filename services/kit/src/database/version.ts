/**
 * Returns the version after `previous`, a hybrid logical clock: microseconds of the wall clock,
 * always greater than `previous`. Versions keep their order even after a restore that lost commits.
 * They are below 2^53 until the year 2255.
 */
export function nextVersion(previous: bigint, now: Date): bigint {
  const clock = BigInt(now.getTime()) * 1000n
  return clock > previous ? clock : previous + 1n
}

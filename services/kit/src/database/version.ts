/**
 * Hybrid logical clock: returns the wall clock in microseconds, or `previous` + 1 if that is
 * greater. Versions stay in order even after a restore that lost commits. Below 2^53 until 2255.
 */
export function nextVersion(previous: bigint, now: Date): bigint {
  const clock = BigInt(now.getTime()) * 1000n
  return clock > previous ? clock : previous + 1n
}

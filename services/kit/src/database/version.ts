/**
 * Hybrid logical clock: returns the wall clock in microseconds, or `previous` + 1 if that is
 * greater. Versions stay in order even after a restore that lost commits. Until 2255 they are below
 * 2^53, so a JSON number holds them exactly.
 */
export function nextVersion(previous: bigint, now: Date): bigint {
  const clock = BigInt(now.getTime()) * 1000n
  return clock > previous ? clock : previous + 1n
}

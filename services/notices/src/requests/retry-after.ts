/**
 * Returns the pause in ms of a Retry-After header, seconds or a date (RFC 9110 10.2.3); null if it
 * is missing or malformed.
 */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1_000
  const ms = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) - now.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}

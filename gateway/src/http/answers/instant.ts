import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { dayMs } from '@coffer/kit/values/time'

// Maximum number of days in the cache of date texts; a full cache is cleared. Instants of answers
// share few days, so a clearing is rare, and a plain Map is three times as fast as lru-cache.
const daysMax = 10_000
const days = new Map<number, string>()
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/**
 * Returns the RFC 3339 text in UTC, with milliseconds only when they are not zero. Arithmetic and a
 * cache of days make it much faster than `toISOString`.
 */
export function instantText({ seconds, nanos }: Timestamp): string {
  const ms = Number(seconds) * 1000 + Math.floor(nanos / 1e6)
  const day = Math.floor(ms / dayMs)
  const inDay = ms - day * dayMs
  const second = Math.floor(inDay / 1000)
  const fraction = inDay % 1000
  const hours = twoDigits[Math.floor(second / 3600)]
  const minutes = twoDigits[Math.floor(second / 60) % 60]
  const time = `${dayText(day)}${hours}:${minutes}:${twoDigits[second % 60]}`
  return fraction === 0 ? `${time}Z` : `${time}.${String(fraction).padStart(3, '0')}Z`
}

function dayText(day: number): string {
  let text = days.get(day)
  if (text === undefined) {
    text = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length)
    if (days.size >= daysMax) days.clear()
    days.set(day, text)
  }
  return text
}

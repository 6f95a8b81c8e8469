import { readFileSync } from 'node:fs'
import { type Reading, readingOf } from './steal.ts'

const intervalMs = 100

/** Reads /proc/stat; null on systems other than Linux. */
export function readProcessors(): Reading | null {
  if (process.platform !== 'linux') return null
  return readingOf(readFileSync('/proc/stat', 'utf8'), performance.now())
}

/** Reads /proc/stat ten times a second until disposed. */
export function watchProcessors(): Disposable & { readings: readonly Reading[] } {
  const readings: Reading[] = []
  const read = () => {
    const reading = readProcessors()
    if (reading !== null) readings.push(reading)
  }
  read()
  const timer = setInterval(read, intervalMs)
  return { readings, [Symbol.dispose]: () => clearInterval(timer) }
}

import { readFileSync } from 'node:fs'
import { type Reading, readingOf } from './steal.ts'

const intervalMs = 100

/** Returns the processor times in /proc/stat; null on systems other than Linux. */
export function readProcessors(): Reading | null {
  if (process.platform !== 'linux') return null
  return readingOf(readFileSync('/proc/stat', 'utf8'), performance.now())
}

/** Collects a reading of /proc/stat every 100 ms until disposed. */
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

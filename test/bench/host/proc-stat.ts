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

/**
 * Returns the processor time in ms of each child process of a process since its start, by process
 * ID; null on systems other than Linux. /proc/<pid>/schedstat counts the first thread alone, in ns:
 * a child with several threads is not measured as a whole.
 */
export function readChildrenMs(pid: number | null): Map<number, number> | null {
  if (process.platform !== 'linux' || pid === null) return null
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return new Map(children.map((child) => [Number(child), firstThreadMs(child)]))
}

function firstThreadMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // The process has ended since the list of children was read.
    return 0
  }
}

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newPerson } from '../harness/person.ts'

// Pause in ms of the client between two reads.
const pauseMs = 10

/**
 * A client that reads balances repeatedly. `took` returns the latency in ms of each read so far,
 * `p99` that of all but the slowest hundredth, `reads` the number of reads.
 */
export type Reader = {
  took: () => readonly number[]
  p99: () => number
  reads: () => number
  stop: () => Promise<void>
}

/** Registers a person with a bank account; returns a function that reads its balances. */
export async function readerOfBalances(baseUrl: string): Promise<() => Promise<unknown>> {
  const person = await newPerson(baseUrl)
  const { path } = await person.createBankAccount(1000)
  return () => person.get(`${path}/balances`)
}

/** Starts a client that sends one request after the other, with a pause between them. */
export function startReader(read: () => Promise<unknown>): Reader {
  const took: number[] = []
  let isStopping = false
  const reading = (async () => {
    while (!isStopping) {
      const at = performance.now()
      await read()
      took.push(performance.now() - at)
      await sleep(pauseMs)
    }
  })()
  // `stop` reports it: an unhandled rejection would end the process and leave the servers.
  reading.catch(() => {})
  return {
    took: () => took,
    reads: () => took.length,
    p99: () => quantile(took, 0.99),
    stop: () => {
      isStopping = true
      return reading
    },
  }
}

/** Returns the value that a share of the others is below; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

/**
 * Returns the processor time in ms of a process and its children since their start; children that
 * have ended count too. 0 without a process. Linux counts ticks of 10 ms.
 */
export function cpuMs(pid: number | null): number {
  if (pid === null) return 0
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const pids = [`${pid}`, ...children.filter((child) => child !== '')]
  return pids.reduce((sum, one) => sum + ticksOf(one) * 10, 0)
}

/** Returns the ticks of a process and of its ended children; 0 if it has ended. */
function ticksOf(pid: string): number {
  const fields = readProcess(pid, 'stat').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

const sampleMs = 100

/** Samples the resident memory of a process until disposed; `most` returns its maximum in MiB. */
export function watchMemory(pid: number): Disposable & { most: () => number } {
  let most = residentMib(pid)
  const sampling = setInterval(() => {
    most = Math.max(most, residentMib(pid))
  }, sampleMs)
  return { most: () => most, [Symbol.dispose]: () => clearInterval(sampling) }
}

/**
 * Returns the resident memory of a process in MiB (/proc/<pid>/statm has pages of 4 KiB); 0 if it
 * has ended.
 */
export function residentMib(pid: number): number {
  const [, pages = '0'] = readProcess(`${pid}`, 'statm').split(' ')
  return Math.round((Number(pages) * 4096) / 2 ** 20)
}

function readProcess(pid: string, file: 'stat' | 'statm'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

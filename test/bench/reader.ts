import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newPerson } from '../harness/person.ts'

// Pause in ms of the client between two reads.
const pauseMs = 10

/**
 * A client that reads balances repeatedly. `p99` returns the latency of a read in ms, `reads` the
 * number of reads so far.
 */
export type Reader = { p99: () => number; reads: () => number; stop: () => Promise<void> }

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
  return {
    reads: () => took.length,
    p99: () => took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0,
    stop: () => {
      isStopping = true
      return reading
    },
  }
}

/** Returns the processor time of a process since its start in ms; Linux counts ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
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

/** Returns the resident memory of a process in MiB (/proc/<pid>/statm has pages of 4 KiB). */
export function residentMib(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return Math.round((Number(pages) * 4096) / 2 ** 20)
}

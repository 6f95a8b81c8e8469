// npm run bench:hourly -- [accounts]: measures the hourly job while a client reads balances.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { newPerson } from '../../harness/person.ts'
import { startMeasured } from '../server.ts'
import { countAdvanced, loadDueAccounts } from './due-accounts.ts'
import { runHourlyJob } from './hourly-job.ts'

const dataDir = join(root, '.coffer/bench')
// Time in ms before a measurement, in which the Coffer process creates schedules and SQL plans.
const settleMs = 5_000
// Time in ms in which the client reads balances while the hourly job does not run.
const calmMs = 10_000
// Pause in ms of the client between two reads.
const pauseMs = 10

/**
 * A client that reads balances repeatedly. `p99` returns the latency of a read in ms, `reads` the
 * number of reads so far.
 */
type Reader = { p99: () => number; reads: () => number; stop: () => Promise<void> }

await runScript(async () => {
  const accounts = Number(process.argv[2] ?? 10_000)
  const log = createProgress()
  await using measured = await startMeasured(dataDir, log)
  const { baseUrl, stack, coffer } = measured
  const read = await readerOfBalances(baseUrl)
  await log.step('accounts', `writing ${accounts}`, () =>
    loadDueAccounts(stack.databaseUrl, { after: 0, count: accounts }),
  )
  await sleep(settleMs)
  const calm = startReader(read)
  await sleep(calmMs)
  await calm.stop()
  const beforeMib = residentMib(coffer.pid)
  const busy = startReader(read)
  let mostMib = beforeMib
  const sampling = setInterval(() => {
    mostMib = Math.max(mostMib, residentMib(coffer.pid))
  }, 250)
  const startedAt = performance.now()
  const cpuBefore = cpuMs(coffer.pid)
  await runHourlyJob(stack.temporalAddress)
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(sampling)
  const afterMib = residentMib(coffer.pid)
  const busyCpuMs = cpuMs(coffer.pid) - cpuBefore
  await busy.stop()
  const cpuMsRead = await costOfReads(coffer.pid, read)
  const { booked, left } = await countAdvanced(stack.databaseUrl)
  const figures = {
    accounts,
    booked,
    left,
    seconds,
    perSecond: accounts / seconds,
    beforeMib,
    mostMib,
    afterMib,
    // Processor time of the job alone: that of the client's reads and pauses is subtracted.
    cpuMsEach: (busyCpuMs - cpuMsRead * busy.reads()) / accounts,
    cpuMsRead,
    loads: loadavg().map(Math.round),
    p99BeforeMs: calm.p99(),
    p99DuringMs: busy.p99(),
    reads: busy.reads(),
  }
  log.say('bench', JSON.stringify(figures))
  return booked === accounts && left === 0 ? 0 : 1
})

/**
 * Returns the processor time (ms) of the process per read of a client that pauses between reads.
 */
async function costOfReads(pid: number, read: () => Promise<unknown>): Promise<number> {
  await sleep(settleMs)
  const from = cpuMs(pid)
  const reader = startReader(read)
  await sleep(calmMs)
  await reader.stop()
  return (cpuMs(pid) - from) / reader.reads()
}

async function readerOfBalances(baseUrl: string): Promise<() => Promise<unknown>> {
  const person = await newPerson(baseUrl)
  const { path } = await person.createBankAccount(1000)
  return () => person.get(`${path}/balances`)
}

/** Starts a client that sends one request after the other, with a pause between them. */
function startReader(read: () => Promise<unknown>): Reader {
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
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Returns the resident memory of a process in MiB (/proc/<pid>/statm has pages of 4 KiB). */
function residentMib(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return Math.round((Number(pages) * 4096) / 2 ** 20)
}

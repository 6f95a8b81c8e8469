// npm run bench:hourly -- [accounts]: measures the hourly job while a client reads balances.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { cpuMs, readerOfBalances, residentMib, startReader, watchMemory } from '../reader.ts'
import { type Measured, runMeasured } from '../server.ts'
import { countAdvanced, loadDueAccounts } from './due-accounts.ts'
import { runHourlyJob } from './hourly-job.ts'

const dataDir = join(root, '.coffer/bench')
// Time in ms before a measurement, in which the Coffer process creates schedules and SQL plans.
const settleMs = 5_000
// Time in ms in which the client reads balances while the hourly job does not run.
const calmMs = 10_000

const accounts = Number(process.argv[2] ?? 10_000)
const log = createProgress()

await runScript((stop) => runMeasured({ dataDir, log, stop }, measureJob))

async function measureJob({ baseUrl, stack, coffer }: Measured): Promise<number> {
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
  using memory = watchMemory(coffer.pid)
  const startedAt = performance.now()
  const cpuBefore = cpuMs(coffer.pid)
  await runHourlyJob(stack.temporalAddress)
  const seconds = (performance.now() - startedAt) / 1000
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
    mostMib: memory.most(),
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
}

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

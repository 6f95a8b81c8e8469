// npm run bench:files -- [rows] [turns]: measures large files while another household reads.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { newPerson } from '../../harness/person.ts'
import { quantile, readerOfBalances, residentMib, startReader, watchMemory } from '../reader.ts'
import { type Measured, runMeasured } from '../server.ts'
import { csvOf, fileSender, ofxOf } from './large-file.ts'

const dataDir = join(root, '.coffer/bench')
/** Aims: time until the end, memory above that before the work, growth of the p99 of others. */
const [secondsMax, addedMibMax, p99GrowthMax] = [15, 150, 2]
// Time in ms from the start to the idle process, and of the reads beside no file.
const settleMs = 30_000
const idleMs = 30_000
// Pause in ms after a file, in which its memory is collected.
const pauseMs = 3_000

/** Figures of one kind of work, in all turns. */
interface FileFigures {
  seconds: number[]
  /** p99 in ms of the other household's reads during all turns. */
  p99Ms: number
  /** Most resident memory above that before the work. */
  addedMib: number
}

await runScript(async (stop) => {
  const [rows = 100_000, turns = 3] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const say = (name: string, figures: object) =>
    log.say('bench', JSON.stringify({ name, ...figures, loads: loadavg().map(Math.round) }))
  return await runMeasured({ dataDir, log, stop }, async (measured) => {
    const [csv, ofx] = [csvOf(rows), ofxOf(Math.round(rows / 3))]
    const person = await newPerson(measured.baseUrl, { timezone: 'UTC' })
    const read = await readerOfBalances(measured.baseUrl)
    await sleep(settleMs)
    const quiet = startReader(read)
    await sleep(idleMs)
    await quiet.stop()
    say('idle', { p99Ms: quiet.p99(), idleMib: residentMib(measured.coffer.pid) })
    const faults: string[] = []
    const { createBank } = fileSender(person)
    const first = await createBank()
    const work: [string, () => Promise<unknown>][] = [
      ['preview of CSV', async () => first.previewCsv(csv)],
      ['import of CSV', async () => (await createBank()).importCsv(csv)],
      ['preview of OFX', async () => first.previewUpload(ofx)],
      ['import of OFX', async () => (await createBank()).upload(ofx)],
    ]
    for (const [name, once] of work) {
      const figures = await measureFile({ measured, read, turns, once })
      say(name, figures)
      if (Math.max(...figures.seconds) > secondsMax) faults.push(`${name}: time`)
      if (figures.addedMib > addedMibMax) faults.push(`${name}: memory`)
      if (figures.p99Ms > quiet.p99() * p99GrowthMax) faults.push(`${name}: p99 of others`)
    }
    for (const fault of faults) log.say('bench', `missed: ${fault}`)
    return faults.length === 0 ? 0 : 1
  })
})

/** Does the work in turns while another household reads, with a pause after each. */
async function measureFile(of: {
  measured: Measured
  read: () => Promise<unknown>
  turns: number
  once: () => Promise<unknown>
}): Promise<FileFigures> {
  const { pid } = of.measured.coffer
  const beforeMib = residentMib(pid)
  using memory = watchMemory(pid)
  const seconds: number[] = []
  const took: number[] = []
  for (let turn = 0; turn < of.turns; turn += 1) {
    const reader = startReader(of.read)
    const at = performance.now()
    await of.once()
    seconds.push(Math.round((performance.now() - at) / 100) / 10)
    await reader.stop()
    took.push(...reader.took())
    await sleep(pauseMs)
  }
  return { seconds, p99Ms: quantile(took, 0.99), addedMib: memory.most() - beforeMib }
}

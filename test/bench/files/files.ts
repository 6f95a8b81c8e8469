// npm run bench:files -- [rows] [turns]: measures large files while another household reads.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { newPerson } from '../../harness/person.ts'
import { quantile, residentMib, watchMemory } from '../reader.ts'
import { type Measured, runMeasured } from '../server.ts'
import { csvOf, fileSender, ofxOf } from './large-file.ts'
import { type OtherHousehold, startOtherHousehold } from './other-household.ts'

const dataDir = join(root, '.coffer/bench')
/** Aims: time until the end, memory above that before the work, growth of the p99 of others. */
const [secondsMax, addedMibMax, p99GrowthMax] = [15, 150, 2]
// Time in ms from the start to the idle process, and of the reads beside no file.
const settleMs = 30_000
const idleMs = 30_000
// Pause in ms after a file, in which its memory is collected.
const pauseMs = 3_000

/** Figures of one kind of work. */
interface FileFigures {
  /** Time until the end, one for each turn. */
  seconds: number[]
  /** Most resident memory during each turn above that before it. */
  addedMib: number[]
  /** p99 in ms of the other household's reads in the first turn: its code is not compiled yet. */
  firstP99Ms: number
  /** p99 in ms of the reads in all later turns. */
  p99Ms: number
}

await runScript(async (stop) => {
  const [rows = 100_000, turns = 3] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const say = (name: string, figures: object) =>
    log.say('bench', JSON.stringify({ name, ...figures, loads: loadavg().map(Math.round) }))
  return await runMeasured({ dataDir, log, stop }, async (measured) => {
    const [csv, ofx] = [csvOf(rows), ofxOf(Math.round(rows / 3))]
    const person = await newPerson(measured.baseUrl, { timezone: 'UTC' })
    await using other = await startOtherHousehold(measured.baseUrl)
    await sleep(settleMs)
    await other.lap()
    await sleep(idleMs)
    const idleP99Ms = quantile(await other.lap(), 0.99)
    say('idle', { p99Ms: idleP99Ms, idleMib: residentMib(measured.coffer.pid) })
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
      const figures = await measureFile({ measured, other, turns, once })
      say(name, figures)
      if (Math.max(...figures.seconds) > secondsMax) faults.push(`${name}: time`)
      if (Math.max(...figures.addedMib) > addedMibMax) faults.push(`${name}: memory`)
      if (figures.p99Ms > idleP99Ms * p99GrowthMax) faults.push(`${name}: p99 of others`)
    }
    for (const fault of faults) log.say('bench', `missed: ${fault}`)
    return faults.length === 0 ? 0 : 1
  })
})

/** Does the work once, then in turns, while another household reads, with a pause after each. */
async function measureFile(of: {
  measured: Measured
  other: OtherHousehold
  turns: number
  once: () => Promise<unknown>
}): Promise<FileFigures> {
  const first = await measureTurn(of)
  const later: Awaited<ReturnType<typeof measureTurn>>[] = []
  while (later.length < of.turns) later.push(await measureTurn(of))
  const all = [first, ...later]
  return {
    seconds: all.map(({ seconds }) => seconds),
    addedMib: all.map(({ addedMib }) => addedMib),
    firstP99Ms: quantile(first.took, 0.99),
    p99Ms: quantile(
      later.flatMap(({ took }) => took),
      0.99,
    ),
  }
}

async function measureTurn({ measured, other, once }: Parameters<typeof measureFile>[0]) {
  const { pid } = measured.coffer
  const beforeMib = residentMib(pid)
  using memory = watchMemory(pid)
  await other.lap()
  const at = performance.now()
  await once()
  const seconds = Math.round((performance.now() - at) / 100) / 10
  const took = await other.lap()
  await sleep(pauseMs)
  return { seconds, took, addedMib: memory.most() - beforeMib }
}

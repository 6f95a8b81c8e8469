// npm run bench:webhooks -- [seconds] [endpoints] [changes a second]: measures webhooks.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { runMeasured } from '../server.ts'
import { createEndpoints, type Household, startHost } from './endpoints.ts'
import { measureChanges } from './measure-changes.ts'

const dataDir = join(root, '.coffer/bench')
/** Aims: p95 from the save to the receiver in ms; its growth by a dead endpoint; that of POST. */
const [p95MsMax, deadGrowthMax, postGrowthMax] = [2_000, 1.1, 2]
/** Figures below this many ms are noise. */
const noiseMs = 10

await runScript(async (stop) => {
  const [seconds = 600, endpoints = 1_000, perSecond = 100] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const say = (name: string, figures: object) =>
    log.say('bench', JSON.stringify({ name, ...figures, loads: loadavg().map(Math.round) }))
  await using host = await startHost()
  const settings = { COFFER_WEBHOOK_ALLOWED_HOSTS: host.host }
  return await runMeasured({ dataDir, log, stop, settings }, async (measured) => {
    const households = await log.step('accounts', `creating ${endpoints} with a webhook each`, () =>
      createEndpoints(measured.baseUrl, host.url, endpoints),
    )
    const phase = async (name: string, isServed: (one: Household) => boolean) => {
      const of = { host, households, isServed, seconds, perSecond }
      const figures = await measureChanges(measured, of)
      say(name, figures)
      return figures
    }
    for (const one of households) await one.enable(false)
    const without = await phase('without webhooks', () => false)
    for (const one of households) await one.enable(true)
    const all = await phase('webhooks', () => true)
    const [first] = households
    host.kill(first?.accountId ?? '')
    const dead = await phase('one dead endpoint', (one) => one !== first)
    const grew = (one: number, other: number, max: number) => one > other * max + noiseMs
    const faults = [
      ...(all.missing + dead.missing > 0 ? ['changes that have not come'] : []),
      ...(without.refused + all.refused + dead.refused > 0 ? ['POSTs were refused'] : []),
      ...(all.p95Ms > p95MsMax ? [`p95 above ${p95MsMax} ms`] : []),
      ...(grew(dead.p95Ms, all.p95Ms, deadGrowthMax) ? ['a dead endpoint delays others'] : []),
      ...(grew(all.postP99Ms, without.postP99Ms, postGrowthMax) ? ['p99 of POST has grown'] : []),
    ]
    for (const fault of faults) log.say('bench', `missed: ${fault}`)
    return faults.length === 0 ? 0 : 1
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { registry } from '@coffer/kit/service/telemetry'
import { Gauge } from 'prom-client'
import { countUnreleased } from './aggregator-link.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** Longest wait of a scrape in ms: while the database does not answer, the last values are kept. */
const waitMs = 1_000

const count = new Gauge({
  name: 'coffer_aggregator_releases_waiting',
  help: 'Ended links whose item is not removed at the aggregator yet, of all processes.',
  registers: [registry],
  collect: () => collect(),
})

const age = new Gauge({
  name: 'coffer_aggregator_release_age_seconds',
  help: 'Time since the end of the oldest of these links; 0 without any.',
  registers: [registry],
  collect: () => collect(),
})

const sources: Deps[] = []
let reading: Promise<void> | null = null

/** Exports the numbers of this service's database until disposed; of several, those of the last. */
export function startReleaseMetrics(deps: Deps): Disposable {
  sources.push(deps)
  return {
    [Symbol.dispose]: () => {
      sources.splice(sources.indexOf(deps), 1)
    },
  }
}

/** Both gauges of a scrape share one statement. */
async function collect(): Promise<void> {
  const source = sources.at(-1)
  if (!source) return
  reading ??= read(source).finally(() => {
    reading = null
  })
  await Promise.race([reading, sleep(waitMs, undefined, { ref: false })])
}

async function read({ database, clock }: Deps): Promise<void> {
  try {
    const waiting = await countUnreleased(database)
    count.set(waiting.count)
    const ageMs = waiting.oldest ? clock().getTime() - waiting.oldest.getTime() : 0
    age.set(Math.max(0, ageMs) / 1_000)
  } catch {
    // The database is away, which readiness and the log report.
  }
}

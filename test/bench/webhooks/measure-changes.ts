import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs, quantile, residentMib, watchMemory } from '../reader.ts'
import type { Measured } from '../server.ts'
import type { EndpointHost, Household } from './endpoints.ts'

// Time in ms before a measurement, in which events are handled and connections are made.
const settleMs = 5_000
const warmMs = 5_000
/** Time in ms after the last change in which deliveries may still come. */
const lateMs = 15_000
const pollMs = 100

/** Figures of changes at a constant rate. */
export interface ChangeFigures {
  changes: number
  /** POSTs that failed. */
  refused: number
  /** Changes that have not come to an endpoint that is served. */
  missing: number
  repeated: number
  /** Time from the save to the first arrival. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  postP50Ms: number
  postP99Ms: number
  /** Processor time for a change: of Coffer with its POST, and of Postgres. */
  cofferCpuMsEach: number
  postgresCpuMsEach: number
  beforeMib: number
  mostMib: number
}

/** Sends changes of all households in turn at a constant rate, whether or not answers come. */
export async function measureChanges(
  { coffer, stack: { pids } }: Measured,
  of: {
    host: EndpointHost
    households: Household[]
    isServed: (household: Household) => boolean
    seconds: number
    perSecond: number
  },
): Promise<ChangeFigures> {
  const { host, households, isServed, seconds, perSecond } = of
  await sleep(settleMs)
  await send(households, { count: (warmMs / 1_000) * perSecond, perSecond })
  await sleep(settleMs)
  host.takeDelays()
  const beforeMib = residentMib(coffer.pid)
  using memory = watchMemory(coffer.pid)
  const cpuOf = () => [coffer.pid, pids.postgres].map(cpuMs)
  const cpuBefore = cpuOf()
  const changes = seconds * perSecond
  const posts = await send(households, { count: changes, perSecond })
  const turns = Array.from({ length: changes }, (_, number) => number % households.length)
  const expected = turns.filter((index) => isServed(households[index] as Household)).length
  for (let waited = 0; waited < lateMs && host.arrived() < expected; waited += pollMs) {
    await sleep(pollMs)
  }
  const cpu = cpuOf().map((ms, index) => (ms - (cpuBefore[index] ?? 0)) / changes)
  const [cofferCpuMsEach = 0, postgresCpuMsEach = 0] = cpu
  const repeated = host.repeated()
  const delays = host.takeDelays()
  return {
    changes,
    refused: changes - posts.length,
    missing: expected - delays.length,
    repeated,
    p50Ms: quantile(delays, 0.5),
    p95Ms: quantile(delays, 0.95),
    p99Ms: quantile(delays, 0.99),
    postP50Ms: Math.round(quantile(posts, 0.5)),
    postP99Ms: Math.round(quantile(posts, 0.99)),
    cofferCpuMsEach,
    postgresCpuMsEach,
    beforeMib,
    mostMib: memory.most(),
  }
}

/** Creates transactions; returns the latency of each request in ms. */
async function send(
  households: Household[],
  { count, perSecond }: { count: number; perSecond: number },
): Promise<number[]> {
  const took: number[] = []
  const open = new Set<Promise<void>>()
  const beginning = performance.now()
  for (let number = 0; number < count; number += 1) {
    const dueAt = beginning + (number * 1_000) / perSecond
    if (performance.now() < dueAt) await sleep(dueAt - performance.now())
    const sentAt = performance.now()
    const work = (async () => {
      await households[number % households.length]?.buy()
      took.push(performance.now() - sentAt)
    })()
    open.add(work)
    void work.finally(() => open.delete(work)).catch(() => undefined)
  }
  await Promise.allSettled(open)
  return took
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startHaproxy as balance } from './haproxy.ts'
import { createHouseholds, startLoad } from './load.ts'
import { eachService, type Replicas, type ReplicasOptions, startReplicas } from './replicas.ts'
import { requireBooked, summaryOf } from './report.ts'

/** Time in ms of load before the first restart and after the last. */
const aroundMs = 3_000

/** Stops each process by SIGTERM and starts it again, one after the other, under mixed load. */
async function restartAll({ members, baseUrl, deployment }: Replicas) {
  const households = await createHouseholds(baseUrl, 4)
  const load = startLoad(baseUrl, households)
  await sleep(aroundMs)
  for (const { name, stop, start } of members) {
    expect([name, await stop()]).toEqual([name, 0])
    await start()
  }
  await sleep(aroundMs)
  const outcomes = await load.stop()
  console.log(JSON.stringify(summaryOf(outcomes)))
  await requireBooked(households, outcomes)
  expect((await deployment.run('audit')).code).toBe(0)
  return outcomes
}

const everyPart: [string, ReplicasOptions][] = [
  ['all services in one process', {}],
  ['each service in a process of its own', { kinds: eachService }],
  ['each service in a process of its own, behind HAProxy', { kinds: eachService, balance }],
]

test.each(everyPart)(
  'a rolling restart fails no request: %s',
  async (_, options) => {
    await using replicas = await startReplicas(options)
    const outcomes = await restartAll(replicas)
    expect(summaryOf(outcomes).failures).toEqual([])
    const unanswered = outcomes.filter(({ attempts }) => attempts.some((one) => /^504/.test(one)))
    expect(unanswered).toEqual([])
  },
  600_000,
)

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Outcome } from './client.ts'
import { createHouseholds, type Household, startLoad } from './load.ts'
import { eachService, type Member, type Replicas, startReplicas } from './replicas.ts'
import { requireBooked, summaryOf } from './report.ts'

// Two processes of the gateway and of each service, behind a balancer.
let replicas: Replicas

beforeAll(async () => {
  replicas = await startReplicas({ kinds: eachService })
}, 300_000)

afterAll(async () => await replicas[Symbol.asyncDispose]())

const kinds = [
  'identity',
  'ledger',
  'budgeting',
  'aggregator-sync',
  'feed-sync',
  'notices',
  'gateway',
]
const names = kinds.flatMap((kind) => [`${kind}-1`, `${kind}-2`])

const memberOf = (name: string) => replicas.members.find((one) => one.name === name) as Member

/** Time in ms of load before a fault. */
const beforeMs = 1_000

/** Time in ms after which a replica that hangs may cost nothing any more. */
const sharedMs = 10_000

/**
 * Puts mixed load on the mesh while `fault` runs; checks the books; returns all outcomes. The
 * households are new: a resumed replica books what it had in hand for those of an earlier test.
 */
async function underLoad(name: string, fault: () => Promise<void>): Promise<Outcome[]> {
  const households = await createHouseholds(replicas.baseUrl, 4)
  const before = await Promise.all(households.map(balanceOf))
  const load = startLoad(replicas.baseUrl, households)
  await sleep(beforeMs)
  await fault()
  const outcomes = await load.stop()
  console.log(JSON.stringify({ name, ...summaryOf(outcomes) }))
  const people = households.map((one, index) => ({ ...one, balance: before[index] ?? 0 }))
  await requireBooked(people, outcomes)
  expect((await replicas.deployment.run('audit')).code).toBe(0)
  return outcomes
}

async function balanceOf({ person, path }: Household): Promise<number> {
  return (await person.get(`${path}/balances`)).available
}

test.each(names)(
  'kill -9 of %s costs what was in flight on it, without a key',
  async (name) => {
    const { kill, start } = memberOf(name)
    const outcomes = await underLoad(name, async () => {
      await kill()
      await sleep(3_000)
    })
    await start()
    expect(summaryOf(outcomes.filter(({ isRepeated }) => isRepeated)).failures).toEqual([])
  },
  120_000,
)

test.each(names)(
  'SIGSTOP of %s costs its share for at most 10 s',
  async (name) => {
    const { pause, resume } = memberOf(name)
    let pausedAt = 0
    const outcomes = await underLoad(name, async () => {
      pausedAt = Date.now()
      pause()
      await sleep(sharedMs + 5_000)
    })
    resume()
    const later = outcomes.filter(({ at }) => at.getTime() > pausedAt + sharedMs)
    expect(later.length).toBeGreaterThan(20)
    expect(summaryOf(later)).toMatchObject({ failures: [], repeated: 0 })
    expect(summaryOf(outcomes.filter(({ isRepeated }) => isRepeated)).failures).toEqual([])
  },
  120_000,
)

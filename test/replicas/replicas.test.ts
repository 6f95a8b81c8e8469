import { setTimeout as sleep } from 'node:timers/promises'
import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import { newPerson } from '../harness/person.ts'
import { budgetAndSpend } from '../journeys/budget.ts'
import { isRepeatable } from './client.ts'
import { createHouseholds, startLoad } from './load.ts'
import { startReplicas } from './replicas.ts'
import { requireBooked, summaryOf } from './report.ts'

// Two gateways behind a balancer, and two processes with all services.

const replicas = started(() => startReplicas())

/** Time in ms of load before and after the kill. */
const aroundMs = 1_000

test('a person budgets and spends through two processes of everything', async () => {
  await budgetAndSpend(await newPerson(replicas.baseUrl))
})

test('a killed process of the services costs no read and no keyed write', async () => {
  const { baseUrl, members, deployment } = replicas
  const households = await createHouseholds(baseUrl, 2)
  const load = startLoad(baseUrl, households, { isSent: isRepeatable })
  await sleep(aroundMs)
  await members[0]?.kill()
  await sleep(aroundMs)
  const outcomes = await load.stop()
  expect(summaryOf(outcomes).failures).toEqual([])
  expect(outcomes.length).toBeGreaterThan(20)
  await requireBooked(households, outcomes)
  expect((await deployment.run('audit')).code).toBe(0)
}, 60_000)

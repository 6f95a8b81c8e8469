import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { newPerson } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { aggregatorSettings } from '../providers/linked-aggregator.ts'
import { type Plaid, startPlaid } from '../providers/plaid/plaid.ts'
import { seed } from '../seed.ts'
import { type Apart, startApart } from './apart.ts'
import { ownPlaidPoints, type PlaidPoint, sharedPlaidPoints } from './plaid-points.ts'
import type { PlaidPlace, PlaidWork } from './plaid-work.ts'
import { type Held, killAt, turnOf } from './sync-kills.ts'

const stack = new AsyncDisposableStack()
let plaid: Plaid
let deployment: Deployment
let reader: pg.Pool
let apart: Apart

beforeAll(async () => {
  plaid = stack.use(await startPlaid())
  deployment = stack.use(await deploy(aggregatorSettings(plaid)))
  plaid.webhooks.origin = deployment.baseUrl
  reader = new pg.Pool({ connectionString: deployment.databaseUrl })
  stack.defer(() => reader.end())
  apart = await startApart(deployment, 'aggregator-sync', stack)
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Lets the calls end that a killed process had in flight: their leases last for a minute. */
async function endCalls(): Promise<void> {
  await reader.query('UPDATE aggregator_sync.item_calls SET holder = NULL, held_until = NULL')
}

/** Lets two minutes pass for links that are not finished, and runs their schedule. */
async function finishLinks(): Promise<void> {
  const { prefix } = deployment
  await reader.query(`
    UPDATE aggregator_sync.aggregator_links
    SET created_at = created_at - interval '2 minutes',
      updated_at = updated_at - interval '2 minutes'
    WHERE status = 'creating' OR (deleted_at IS NOT NULL AND released_at IS NULL)
      OR chosen_accounts <> '{}'`)
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  await using temporal = connectTemporal({ address, namespace: 'default', prefix, log: silentLog })
  await temporal.start({ type: 'finishAggregatorLinks', id: 'aggregator-links-now', args: [] })
}

type HeldWork = Held<PlaidWork>

/** Prepares the work of each point. */
async function prepareAll(points: PlaidPoint[]): Promise<HeldWork[]> {
  const person = await newPerson(deployment.baseUrl)
  const place: PlaidPlace = { plaid, reader, person, finishLinks }
  return Promise.all(points.map(async (point) => ({ point, work: await point.prepare(place) })))
}

/** Checks the result of work, and that Plaid never had two calls of its item at once. */
async function expectDone({ point: { name }, work }: HeldWork): Promise<void> {
  await work.expectDone().catch((cause) => {
    throw new Error(`the work that was held ${name} has not ended`, { cause })
  })
  expect([name, work.item.overlaps]).toEqual([name, []])
}

// Temporal repeats the steps of a killed process, and continues its workflows, after ten seconds.
// The test waits for both at once.
test('work ends after the ledger, then aggregator-sync are killed at any points', async () => {
  const ofLedger = await prepareAll(turnOf(sharedPlaidPoints, { count: 4, seed }))
  const ofAggregator = await prepareAll([
    ...turnOf(ownPlaidPoints, { count: 3, seed }),
    ...turnOf(sharedPlaidPoints, { count: 2, seed: seed + 7 }),
  ])
  const { database, databaseUrl } = deployment
  const { ledger, sync, gate, startLedger, startSync } = apart
  const around = { gate, database, databaseUrl }
  const check = async (all: { work: PlaidWork }[]) => {
    for (const { work } of all) await work.whileDown()
  }
  await killAt(around, ofLedger, {
    kill: ledger.kill,
    whileDown: () => check(ofLedger),
    start: startLedger,
  })
  await killAt(around, ofAggregator, {
    kill: sync.kill,
    whileDown: async () => {
      await check(ofAggregator)
      await endCalls()
    },
    start: startSync,
  })
  await Promise.all([...ofLedger, ...ofAggregator].map(expectDone))
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

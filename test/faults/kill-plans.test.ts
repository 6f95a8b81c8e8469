import { eventually } from '@coffer/kit/testing/boot'
import { requiredVariable } from '@coffer/kit/testing/database'
import { openProxy } from '@coffer/kit/testing/proxy'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { newPerson, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'

let stack = new AsyncDisposableStack()

afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  stack.defer(() => client.end())
  return client
}

/** A goal of 500.00 that holds 10.00, and what is due to it with each of its fundings. */
async function savesUp(person: Person): Promise<{ path: string; spendingId: string }> {
  const { path } = await person.opensAccount(100_000)
  const { fundingScheduleId } = await person.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset: 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1',
  })
  const { spendingId } = await person.post(`${path}/spending`, {
    ...{ spendingType: 'goal', name: 'Bike', fundingScheduleId, targetAmount: 50_000 },
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  })
  await person.post(`${path}/spending/transfer`, { toSpendingId: spendingId, amount: 1_000 })
  return { path, spendingId }
}

test.each([
  { killed: 'before its event is published', isPublished: false },
  { killed: 'while its event is handled', isPublished: true },
])('a write whose plan is not stored, killed $killed, reaches the plan', async (when) => {
  const nats = stack.use(await openProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  const deployment = stack.use(await deploy({ COFFER_NATS_URL: nats.url }))
  await deployment.start()
  const alice = await newPerson(deployment.baseUrl)
  const { path, spendingId } = await savesUp(alice)
  const reader = await connect(deployment.databaseUrl)
  const read = async (query: string) => (await reader.query(query)).rows[0]
  const plan = () => read('SELECT current_amount::int AS held FROM budgeting.spending')
  await eventually(plan, ({ held }) => held === 1_000)

  // Budgeting is held at the row of the plan.
  const holder = await connect(deployment.databaseUrl)
  await holder.query('BEGIN; SELECT FROM budgeting.spending FOR UPDATE')
  if (!when.isPublished) nats.cut()
  const body = { name: 'Bell', amount: 300, date: '2026-03-02T06:00:00Z', spendingId }
  const answer = await alice.call('POST', `${path}/transactions`, { body })
  expect(answer).toMatchObject({ status: 200, body: { balance: { goals: 700 } } })
  expect(answer.body.spending).toMatchObject({ spendingId, currentAmount: 700 })
  const unpublished = () =>
    read('SELECT count(*)::int AS left FROM ledger.changes WHERE published_at IS NULL')
  await eventually(unpublished, ({ left }) => (left === 0) === when.isPublished)
  await deployment.kill()
  await reader.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  await holder.query('ROLLBACK')
  expect(await plan()).toEqual({ held: 1_000 })

  nats.mend()
  await deployment.start()
  const { held } = await eventually(plan, ({ held }) => held !== 1_000, 60_000)
  expect(held).toBe(700)
  const [shown] = await alice.get(`${path}/spending`)
  expect(
    await read('SELECT next_contribution_amount::int AS share FROM budgeting.spending'),
  ).toEqual({ share: shown.nextContributionAmount })
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

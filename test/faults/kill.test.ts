import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { openProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { createGoal } from '../harness/goal.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { rowsOf } from '../mesh/rows-of-account.ts'

// All tests share a deployment; each kills its process with SIGKILL and starts it again.
const stack = new AsyncDisposableStack()
let nats: TcpProxy
let deployment: Deployment
let reader: pg.Client

beforeAll(async () => {
  nats = stack.use(await openProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  deployment = stack.use(await deploy({ COFFER_NATS_URL: nats.url }))
  reader = await connect()
  await deployment.start()
})

afterAll(async () => {
  await stack.disposeAsync()
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  stack.defer(() => client.end())
  return client
}

/** Returns the first row of a query on the deployment's database. */
async function read(text: string, ...values: string[]) {
  return (await reader.query(text, values)).rows[0]
}

const tea = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }

async function budgets(person: Person, transactions: number): Promise<{ linkId: string }> {
  const account = await person.opensAccount(1_000_000)
  for (let sent = 0; sent < transactions; sent += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => person.post(`${account.path}/transactions`, tea)),
    )
  }
  return account
}

const isCleaned = async (linkId: string) =>
  (await read('SELECT cleaned_at FROM ledger.links WHERE link_id = $1', linkId)).cleaned_at !== null

const transactionsOf = async (linkId: string) =>
  (
    await read(
      `SELECT count(*)::int AS left FROM ledger.transactions
       JOIN ledger.bank_accounts USING (account_id, bank_account_id) WHERE link_id = $1`,
      linkId,
    )
  ).left

test('a change is published after a kill between its commit and its publishing', async () => {
  const alice = await newPerson(deployment.baseUrl)
  const { linkId } = await budgets(alice, 50)
  nats.cut()
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  await deployment.kill()
  expect(await isCleaned(linkId)).toBe(false)
  nats.mend()
  await deployment.start()
  await eventually(() => isCleaned(linkId), Boolean)
  expect(await transactionsOf(linkId)).toBe(0)
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

test('a clean-up that is killed is finished after the restart, and no more', async () => {
  const alice = await newPerson(deployment.baseUrl)
  const kept = await alice.opensAccount(5_000)
  const { linkId } = await budgets(alice, 2_000)
  const bob = await newPerson(deployment.baseUrl)
  const untouched = await bob.opensAccount(7_000)
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  await eventually(
    () => transactionsOf(linkId),
    (left) => left < 2_000,
  )
  await deployment.kill()
  await deployment.start()
  await eventually(() => isCleaned(linkId), Boolean)
  expect(await transactionsOf(linkId)).toBe(0)
  expect(await alice.get(`${kept.path}/balances`)).toMatchObject({ available: 5_000 })
  expect(await bob.get(`${untouched.path}/balances`)).toMatchObject({ available: 7_000 })
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

test('a deletion that is killed continues after the restart', async () => {
  const person = await newPerson(deployment.baseUrl)
  await budgets(person, 100)
  const body = { currentPassword: person.password }
  const deleted = await person.call('DELETE', '/users/me', { body, asSession: true })
  await deployment.kill()
  expect(deleted.status).toBe(200)
  const before = await rowsOf(deployment.databaseUrl, person)
  expect(before['ledger.transactions']).toBe(100)
  await deployment.start()
  const isGone = (rows: Record<string, number>) =>
    Object.keys(rows).every((table) => /deleted_accounts|account_deletions/.test(table))
  await eventually(() => rowsOf(deployment.databaseUrl, person), isGone, 90_000)
})

test.each([
  { killed: 'before its event is published', isPublished: false },
  { killed: 'while its event is handled', isPublished: true },
])('a write whose plan is not stored, killed $killed, reaches the plan', async (when) => {
  const alice = await newPerson(deployment.baseUrl)
  const { path, spendingId } = await createGoal(alice, 1_000)
  const plan = () =>
    read(
      `SELECT current_amount::int AS held, next_contribution_amount::int AS share
       FROM budgeting.spending WHERE spending_id = $1`,
      spendingId,
    )
  await eventually(plan, ({ held }) => held === 1_000)

  // A row lock blocks budgeting before it writes the plan.
  const holder = await connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM budgeting.spending WHERE spending_id = $1 FOR UPDATE', [
    spendingId,
  ])
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
  expect(await plan()).toMatchObject({ held: 1_000 })

  nats.mend()
  await deployment.start()
  const { held } = await eventually(plan, ({ held }) => held !== 1_000, 60_000)
  expect(held).toBe(700)
  const [shown] = await alice.get(`${path}/spending`)
  expect((await plan()).share).toBe(shown.nextContributionAmount)
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

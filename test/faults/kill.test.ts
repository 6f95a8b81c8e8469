import { eventually } from '@coffer/kit/testing/boot'
import { requiredVariable } from '@coffer/kit/testing/database'
import { openProxy } from '@coffer/kit/testing/proxy'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'

let stack = new AsyncDisposableStack()

afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** One value of a query on the deployment's database, as text. */
async function lookUp(deployment: Deployment, query: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query({ text: query, rowMode: 'array' })
    return rows[0]?.[0]?.toString() ?? null
  } finally {
    await client.end()
  }
}

async function budgets(person: Person, transactions: number): Promise<{ linkId: string }> {
  const account = await person.opensAccount(1_000_000)
  const body = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  for (let sent = 0; sent < transactions; sent += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => person.post(`${account.path}/transactions`, body)),
    )
  }
  return account
}

const cleaned = `SELECT cleaned_at FROM ledger.links WHERE deleted_at IS NOT NULL`
const left = `SELECT count(*) FROM ledger.transactions t JOIN ledger.bank_accounts b
  USING (account_id, bank_account_id) JOIN ledger.links l USING (account_id, link_id)
  WHERE l.deleted_at IS NOT NULL`

test('killed between commit and publish, it publishes after the restart', async () => {
  const proxy = stack.use(await openProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  const deployment = stack.use(await deploy({ COFFER_NATS_URL: proxy.url }))
  await deployment.start()
  const alice = await newPerson(deployment.baseUrl)
  const { linkId } = await budgets(alice, 50)
  proxy.cut()
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  await deployment.kill()
  expect(await lookUp(deployment, cleaned)).toBeNull()
  proxy.mend()
  await deployment.start()
  await eventually(
    () => lookUp(deployment, cleaned),
    (at) => at !== null,
    60_000,
  )
  expect(await lookUp(deployment, left)).toBe('0')
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

test('killed in the middle of a clean-up, it finishes it and harms nobody', async () => {
  const deployment = stack.use(await deploy())
  await deployment.start()
  const alice = await newPerson(deployment.baseUrl)
  const kept = await alice.opensAccount(5_000)
  const { linkId } = await budgets(alice, 2_000)
  const bob = await newPerson(deployment.baseUrl)
  const untouched = await bob.opensAccount(7_000)
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  await eventually(
    () => lookUp(deployment, left),
    (count) => Number(count) < 2_000,
    60_000,
  )
  await deployment.kill()
  await deployment.start()
  await eventually(
    () => lookUp(deployment, cleaned),
    (at) => at !== null,
    60_000,
  )
  expect(await lookUp(deployment, left)).toBe('0')
  expect(await alice.get(`${kept.path}/balances`)).toMatchObject({ available: 5_000 })
  expect(await bob.get(`${untouched.path}/balances`)).toMatchObject({ available: 7_000 })
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})

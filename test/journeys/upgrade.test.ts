import { definitions } from '@coffer/cli/process/services'
import { cloneDatabase } from '@coffer/host/testing/database'
import { started } from '@coffer/host/testing/started'
import { catalogOf } from '@coffer/kit/testing/catalog'
import { expect, test } from '@jest/globals'
import { createFormerDatabase } from '../harness/former.ts'
import { clientOf } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'

const former = started(() => createFormerDatabase())
const deployment = started(() => deploy({ COFFER_DATABASE_URL: former.url }))

const schemas = definitions.map(({ schema }) => schema)
const clean = { code: 0, output: 'everything adds up\n' }

/** Returns the number of rows of each table in the upgraded database. */
async function counts(): Promise<Record<string, unknown>> {
  const tables = await former.query(`
    SELECT concat(schemaname, '.', tablename) AS name FROM pg_tables
    WHERE schemaname IN (${schemas.map((one) => `'${one}'`).join()})`)
  const parts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::int FROM ${name}`)
  const rows = await former.query(parts.join(' UNION ALL '))
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

test('tables that lack a former migration are refused and not changed', async () => {
  const remove = `DELETE FROM budgeting.migrations WHERE name = '0020-due-order.sql'`
  await former.query(remove)
  const before = await counts()
  const { code, output } = await deployment.run('migrate')
  const line = /^budgeting: .+ \(they lack 0020-due-order\.sql\): start commit [0-9a-f]{7} .+\n$/
  expect([code, output]).toEqual([1, expect.stringMatching(line)])
  expect(await counts()).toEqual(before)
  await former.query(`INSERT INTO budgeting.migrations (name) VALUES ('0020-due-order.sql')`)
})

test('tables of the former migrations are adopted, and equal new ones', async () => {
  const before = await counts()
  expect(before).toMatchObject({ 'ledger.journal': expect.any(Number), 'identity.logins': 1 })
  const { code, output } = await deployment.run('migrate')
  // The former version has no notices.
  const adopted = output.replace(/^notices: 0001-.*\n/m, '')
  expect([code, adopted]).toEqual([0, expect.not.stringContaining('0001-')])
  expect(await counts()).toMatchObject(before)
  await using fresh = await cloneDatabase(definitions)
  for (const schema of schemas) {
    expect(await catalogOf(former.url, schema)).toEqual(await catalogOf(fresh.url, schema))
  }
  expect((await deployment.run('migrate')).output).toMatch(/^([a-z-]+: up to date\n){6}$/)
})

test('a household of the previous version passes the audit, and can be used', async () => {
  expect(await deployment.run('audit')).toEqual(clean)
  await deployment.start()
  const client = clientOf(deployment.baseUrl, { key: former.key })
  const { data: accounts } = await client.listBankAccounts()
  const { bankAccountId = '' } = accounts?.find(({ name }) => name === 'Checking') ?? {}
  const path = { bankAccountId }
  const [envelope] = (await client.listSpending({ path })).data
  const spendingId = envelope?.spendingId ?? ''
  const lunch = { name: 'Lunch', amount: 1_250, date: '2026-10-05T05:00:00Z', spendingId }
  const body = { ...lunch, adjustsBalance: true }
  const { data: made } = await client.createTransaction({ path, body })
  expect(made.transaction).toMatchObject(lunch)
  expect(await deployment.run('audit')).toEqual(clean)
})

import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'

const names = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync']

test('migrate --roles creates a role for each service, which commands then use', async () => {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await deployment())
  const { COFFER_DATABASE_URL: ownerUrl = '', ...rest } = place.env
  const roles = names.map((name) => newId(name.replaceAll('-', '_')))
  const urls = names.map((name, index) => {
    const url = new URL(ownerUrl)
    url.username = roles[index] ?? ''
    return [`COFFER_${name.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`, url.href]
  })
  const pooled = { ...rest, ...Object.fromEntries(urls), COFFER_DATABASE_POOLER: 'transaction' }
  const withoutOwner = { ...place.env, COFFER_DATABASE_POOLER: 'transaction' }
  const ownerless = await runHere(['migrate', '--roles'], withoutOwner)
  expect([ownerless.code, ownerless.stderr]).toEqual([
    2,
    'COFFER_DIRECT_DATABASE_URL: not set, and --roles needs the owner\n',
  ])
  const env = { ...pooled, COFFER_DIRECT_DATABASE_URL: ownerUrl }
  const { code, stdout } = await runHere(['migrate', '--roles'], env)
  stack.defer(() => dropRoles(ownerUrl, roles))
  expect([code, stdout]).toEqual([0, expect.stringContaining(`roles: ${roles.join(', ')}\n`)])
  for (const used of [env, pooled]) {
    const audit = await runHere(['audit'], used)
    expect([audit.code, audit.stdout]).toEqual([0, 'everything adds up\n'])
  }
  const owned = { ...pooled, COFFER_LEDGER_DATABASE_URL: ownerUrl }
  const refused = await runHere(['audit'], owned)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/^COFFER_DATABASE_POOLER: .*run "coffer migrate --roles".*\n$/)
}, 60_000)

async function dropRoles(url: string, roles: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const role of roles) await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  await client.end()
}

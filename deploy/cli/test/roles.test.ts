import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'

const names = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']
const schemas = names.map((name) => name.replaceAll('-', '_'))
const variableOf = (name: string) =>
  `COFFER_${name.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`

test('migrate --roles creates a role for each service, which commands then use', async () => {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await deployment())
  const { COFFER_DATABASE_URL: ownerUrl = '', ...rest } = place.env
  const roles = names.map((name) => newId(name.replaceAll('-', '_')))
  const urls = names.map((name, index) => {
    const url = new URL(ownerUrl)
    url.username = roles[index] ?? ''
    return [variableOf(name), url.href]
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
  // Without a pooler, too: each role opens its schema and no other.
  const { COFFER_DATABASE_POOLER: _, ...direct } = env
  expect((await runHere(['migrate', '--roles'], direct)).code).toBe(0)
  for (const [index, name] of names.entries()) {
    const own = direct[variableOf(name)] ?? ''
    const opened = await openedSchemas(own)
    expect([name, opened]).toEqual([name, [schemas[index]]])
  }
  const COFFER_DATABASE_URL = direct[variableOf('ledger')] ?? ''
  const foreign = await runHere(['login:end-sessions', '--all'], { ...rest, COFFER_DATABASE_URL })
  expect([foreign.code, foreign.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The role of this database URL may not use these tables: .* schema identity\. .*\n$/,
    ),
  ])
  const shared = { ...env, [variableOf('ledger')]: direct[variableOf('identity')] ?? '' }
  const one = await runHere(['migrate', '--roles'], shared)
  expect([one.code, one.stderr]).toEqual([
    2,
    'COFFER_<SERVICE>_DATABASE_URL: identity and ledger have the role ' +
      `"${roles[0]}"; --roles needs one for each service\n`,
  ])
  const owned = { ...pooled, COFFER_LEDGER_DATABASE_URL: ownerUrl }
  const refused = await runHere(['audit'], owned)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/^COFFER_DATABASE_POOLER: .*run "coffer migrate --roles".*\n$/)
}, 60_000)

/** Returns the schemas of services of which the role of this URL can read a table. */
async function openedSchemas(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const opened: string[] = []
  for (const schema of schemas) {
    const reading = client.query(`SELECT FROM ${schema}.applied_migrations LIMIT 1`)
    await reading.then(
      () => opened.push(schema),
      () => {},
    )
  }
  await client.end()
  return opened
}

async function dropRoles(url: string, roles: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const role of roles) await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  await client.end()
}

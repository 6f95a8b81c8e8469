import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type OwnPostgres, startOwnPostgres } from '../harness/own-postgres.ts'
import { call, newPerson, type Person } from '../harness/person.ts'
import { type Deployment, deploy, type Part } from '../harness/process.ts'

// One process with all services, which is never restarted, and a Postgres that the test breaks.
const stack = new AsyncDisposableStack()
let primary: OwnPostgres
let proxy: TcpProxy
let deployment: Deployment
let coffer: Part
let person: Person

beforeAll(async () => {
  primary = stack.use(await startOwnPostgres())
  proxy = stack.use(await startProxy(primary.url))
  deployment = stack.use(await deploy({ COFFER_DATABASE_URL: proxy.url }))
  const migrated = await deployment.run('migrate')
  if (migrated.code !== 0) throw new Error(migrated.output)
  coffer = await deployment.part()
  await coffer.start({ COFFER_LOG_LEVEL: 'info' })
  person = await newPerson(coffer.baseUrl)
}, 180_000)

afterAll(() => stack.disposeAsync())

const healedMsMax = 30_000
const lines = 8

/** Writes until told to end, like clients that repeat with their key until they succeed. */
function keepWriting(path: string) {
  const statuses: Record<string, number> = {}
  const successes: number[] = []
  let isOver = false
  const { authorization } = person
  const body = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const attempt = async (headers: Record<string, string>) => {
    const options = { body, headers: { authorization, ...headers } }
    const answer = await call(coffer.baseUrl, 'POST', `${path}/transactions`, options)
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    return answer.status
  }
  const line = async () => {
    while (!isOver) {
      const headers = { 'idempotency-key': newId('key') }
      while ((await attempt(headers)) !== 200) await sleep(200)
      successes.push(performance.now())
      await sleep(50)
    }
  }
  const running = Array.from({ length: lines }, line)
  return {
    successes,
    end: async () => {
      isOver = true
      await Promise.all(running)
      return { statuses, writes: successes.length }
    },
  }
}

/**
 * Breaks the database while writes go on. `mend` resolves when the database is usable again.
 * Returns the seconds from then until each line of writes has succeeded, and all statuses.
 */
async function survive(fault: string, mend: () => Promise<void>) {
  const { path } = await person.createBankAccount(1_000_000)
  const load = keepWriting(path)
  await eventually(
    async () => load.successes.length,
    (count) => count > 20,
  )
  await mend()
  const mendedAt = performance.now()
  const since = () => load.successes.filter((at) => at > mendedAt)
  await eventually(
    async () => since().length,
    (count) => count >= lines,
    healedMsMax,
  )
  const seconds = Math.round(((since()[lines - 1] ?? 0) - mendedAt) / 100) / 10
  const { statuses, writes } = await load.end()
  expect(await person.get(`${path}/balances`)).toMatchObject({ available: 1_000_000 - writes })
  expect((await deployment.run('audit')).output).toContain('everything adds up')
  expect(await deadLetters()).toBe(0)
  console.log(JSON.stringify({ fault, seconds, statuses }))
  expect(Object.keys(statuses).every((one) => ['200', '503', '504'].includes(one))).toBe(true)
}

/** Returns the number of dead letters of the process. */
async function deadLetters(): Promise<number> {
  const text = await (await fetch(`${coffer.url}/metrics`)).text()
  const counts = [...text.matchAll(/^coffer_dead_letters_total\{.*\} (\d+)/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

test('requests to a silent database are answered soon with 503 or 504', async () => {
  const { path } = await person.createBankAccount(1_000)
  const body = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  proxy.fallSilent()
  const reads = Array.from({ length: 30 }, () => person.call('GET', `${path}/balances`))
  const write = person.call('POST', `${path}/transactions`, { body })
  const answers = await Promise.all([...reads, write])
  expect(answers.filter(({ status }) => ![503, 504].includes(status))).toEqual([])
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.filter(({ headers }) => !headers.has('retry-after'))).toEqual([])
  proxy.mend()
  const balances = () => person.call('GET', `${path}/balances`)
  await eventually(balances, ({ status }) => status === 200)
  await eventually(
    () => call(coffer.baseUrl, 'GET', '/health'),
    ({ status }) => status === 200,
  )
  expect(await balances()).toMatchObject({ body: { available: 1_000 } })
  const written = await person.call('POST', `${path}/transactions`, { body })
  expect(written).toMatchObject({ status: 200, body: { balance: { available: 900 } } })
})

test('a network that swallows everything for 20 s', async () => {
  await survive('Postgres: silent network, 20 s', async () => {
    proxy.fallSilent()
    await sleep(20_000)
    proxy.mend()
  })
  expect((await fetch(`${coffer.url}/healthz`)).status).toBe(200)
}, 180_000)

test('a fail-over to a standby that is read-only for 5 s', async () => {
  const standby = stack.use(await primary.standby())
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query('SELECT pg_reload_conf()')
  await survive('Postgres: fail-over to a standby, read-only for 5 s', async () => {
    await primary.stop('SIGKILL')
    proxy.turnTo(standby.url)
    await sleep(5_000)
    const read = await eventually(
      () => person.call('GET', '/links'),
      ({ status }) => status === 200,
    )
    expect(read.status).toBe(200)
    await standby.query('SELECT pg_promote()')
  })
  primary = standby
}, 180_000)

test('a restore that lost commits: nothing is shown that the database has not', async () => {
  const { path, id } = await person.createBankAccount(1_000)
  const body = { name: 'Kept', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  await person.post(`${path}/transactions`, body)
  await primary.stop('SIGINT')
  const restore = primary.keepFiles()
  await primary.start()
  const healthy = async () => (await fetch(`${coffer.url}/readyz`)).status === 200
  await eventually(healthy, Boolean)

  const { transaction: lost } = await person.post(`${path}/transactions`, { ...body, name: 'Lost' })
  const guest = await newPerson(coffer.baseUrl)
  expect(await guest.get('/links')).toEqual([])
  // The process has read the position of the log since.
  await sleep(6_000)
  await primary.stop('SIGKILL')
  restore()
  await primary.start()
  const restoredAt = performance.now()
  const shown = await eventually(
    () => person.call('GET', `${path}/transactions`),
    ({ status }) => status === 200,
    healedMsMax,
  )
  expect(shown.body.map(({ name }: { name: string }) => name)).toEqual(['Kept'])
  expect(await person.get(`${path}/balances`)).toMatchObject({ available: 999 })
  const one = await person.call('GET', `${path}/transactions/${lost.transactionId}`)
  expect(one.status).toBe(404)
  await eventually(
    () => guest.call('GET', '/links', { asSession: true }),
    ({ status }) => status === 401,
    healedMsMax,
  )
  expect((await guest.call('GET', '/links')).status).toBe(401)
  const seconds = Math.round((performance.now() - restoredAt) / 100) / 10
  console.log(JSON.stringify({ fault: 'Postgres: restore that lost commits', seconds }))

  const output = async () => deployment.output()
  await eventually(output, (text) => text.includes('the database may lack commits'))
  const republished = 'the latest changes are published again'
  await eventually(output, (text) => text.includes(republished), 150_000)
  const stored = await primary.query(
    `SELECT name FROM ledger.transactions WHERE bank_account_id = '${id}'`,
  )
  expect(stored).toEqual([{ name: 'Kept' }])
  expect((await deployment.run('audit')).output).toContain('everything adds up')
  expect(await deadLetters()).toBe(0)
}, 300_000)

import { chmodSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { startProxy } from '@coffer/kit/testing/proxy'
import { afterAll, expect, test } from '@jest/globals'
import { createGoalIn } from '../harness/goal.ts'
import { type BaseBackup, type OwnPostgres, startOwnPostgres } from '../harness/own-postgres.ts'
import { call, newPerson, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const tea = { amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }

/** Starts a Postgres that archives its write-ahead log into a folder, which is its second value. */
async function startArchiving() {
  const { path: archive } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-wal-')))
  // The server may run as another user than the test.
  chmodSync(archive, 0o777)
  const settings = {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  }
  return { primary: stack.use(await startOwnPostgres({ settings })), archive }
}

/** Ends the current segment of the log, and waits until it is in the archive. */
async function archiveAll(primary: OwnPostgres): Promise<void> {
  const [last] = await primary.query('SELECT pg_walfile_name(pg_switch_wal()) AS name')
  await eventually(
    () => primary.query('SELECT last_archived_wal AS name FROM pg_stat_archiver'),
    ([row]) => String(row?.name) >= String(last?.name),
  )
}

/** Starts a server on the base backup, and waits until it is at the instant and takes writes. */
async function recover(base: BaseBackup, archive: string, target: string): Promise<OwnPostgres> {
  const settings = {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: target,
    recovery_target_action: 'promote',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  const recovered = stack.use(await base.start('recovery', lines.join('')))
  await eventually(
    () => recovered.query('SELECT pg_is_in_recovery() AS open'),
    ([row]) => row?.open === false,
    60_000,
  )
  return recovered
}

async function namesOf(person: Person, path: string): Promise<string[]> {
  const { body } = await person.call('GET', `${path}/transactions`)
  return body.map(({ name }: { name: string }) => name)
}

test('a recovery to a point in time needs no restart', async () => {
  const { primary, archive } = await startArchiving()
  const proxy = stack.use(await startProxy(primary.url))
  const deployment = stack.use(await deploy({ COFFER_DATABASE_URL: proxy.url }))
  expect((await deployment.run('migrate')).code).toBe(0)
  const coffer = await deployment.part()
  await coffer.start({ COFFER_LOG_LEVEL: 'info' })
  const base = stack.use(await primary.baseBackup())

  const person = await newPerson(coffer.baseUrl)
  const kept = await person.createBankAccount(10_000)
  const unlinked = await person.createBankAccount(5_000)
  await person.post(`${kept.path}/transactions`, { ...tea, name: 'Kept' })
  await sleep(2_000)
  const [at] = await primary.query('SELECT now()::text AS target')
  await sleep(2_000)
  await person.post(`${kept.path}/transactions`, { ...tea, name: 'Lost' })
  const lost = await person.createBankAccount(7_000)
  await person.post(`${lost.path}/transactions`, { ...tea, name: 'Lost, too' })
  const spendingId = await createGoalIn(person, kept.path, 1_000)
  // A workflow deletes the rows of the link, and its change is in NATS.
  expect((await person.call('DELETE', `/links/${unlinked.linkId}`)).status).toBeLessThan(300)
  await eventually(
    () => person.call('GET', unlinked.path),
    ({ status }) => status === 404,
  )
  // Consumers and the clean-up have finished, and the process has read the position of the log.
  await sleep(10_000)
  await archiveAll(primary)
  await primary.stop('SIGKILL')

  const begun = performance.now()
  const recovered = await recover(base, archive, String(at?.target))
  const recoveredMs = performance.now() - begun
  proxy.turnTo(recovered.url)
  const turned = performance.now()
  await eventually(
    () => person.call('GET', `${kept.path}/balances`),
    ({ status }) => status === 200,
    60_000,
  )
  const healedMs = performance.now() - turned
  expect(await namesOf(person, kept.path)).toEqual(['Kept'])
  expect(await person.get(`${kept.path}/balances`)).toMatchObject({ available: 9_900 })
  expect((await person.call('GET', lost.path)).status).toBe(404)
  expect((await person.call('GET', `${kept.path}/spending/${spendingId}`)).status).toBe(404)

  const output = async () => deployment.output()
  await eventually(output, (text) => text.includes('the database may lack commits'), 30_000)
  const republished = 'the latest changes are published again'
  await eventually(output, (text) => text.includes(republished), 240_000)
  const settledMs = performance.now() - turned
  // The link whose deletion was lost keeps its rows: no clean-up of NATS or Temporal goes on.
  expect(await person.get(`${unlinked.path}/balances`)).toMatchObject({ available: 5_000 })
  await person.post(`${kept.path}/transactions`, { ...tea, name: 'After' })
  await createGoalIn(person, kept.path, 1_000)
  expect(await person.get(`${kept.path}/balances`)).toMatchObject({ available: 9_800 })
  expect((await call(coffer.baseUrl, 'GET', '/health')).status).toBe(200)
  expect(await deployment.run('audit')).toEqual({ code: 0, output: 'everything adds up\n' })
  const metrics = await (await fetch(`${coffer.url}/metrics`)).text()
  expect(metrics).toMatch(/coffer_database_restores_total\{service="ledger"\} 1/)
  expect([...metrics.matchAll(/^coffer_dead_letters_total\{.*\} ([1-9]\d*)/gm)]).toEqual([])
  const figures = { recoveredMs, healedMs, settledMs }
  console.log(JSON.stringify({ fault: 'Postgres: point-in-time recovery', ...figures }))
}, 600_000)

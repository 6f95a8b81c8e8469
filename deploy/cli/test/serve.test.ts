import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'
import { type Running, runCommand, startCommand } from './command.ts'

const place = started(() => deployment())

async function untilReady(running: Running): Promise<void> {
  await eventually(
    async () => (running.child.exitCode === null ? running.printed() : running.outcome),
    (printed) => typeof printed !== 'string' || printed.includes('ready: '),
    60_000,
  )
  expect(running.printed()).toContain('ready: ')
}

/** Resolves as soon as the process reports ready. */
async function untilReadyz({ COFFER_RPC_PORT: port }: Record<string, string>): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    if (answer?.status === 200) return
    await sleep(5)
  }
}

const away = 'nats://127.0.0.1:1'

const statusOf = async (url: string) => (await fetch(url)).status

test('everything in one process answers, drains on SIGTERM and exits with 0', async () => {
  const env: Record<string, string> = {
    ...place.env,
    COFFER_EXTERNAL_URL: 'https://money.example/',
  }
  const deleted = { email: 'demo@example.com', password: 'old-password' }
  const demo = { ...deleted, key: { apiKeyId: newId('key'), secret: 'old-secret' } }
  const saved = JSON.stringify({ ...demo, bankAccountId: newId('bac') })
  await writeFile(join(env.COFFER_DATA_DIR ?? '', 'demo.json'), saved)
  await using running = startCommand(['serve', '--demo'], env)
  await untilReadyz(env)
  // The REST API is open once the process says that it is ready.
  expect(await statusOf(`http://127.0.0.1:${env.COFFER_PORT}/api/locale/currency`)).toBe(401)
  await untilReady(running)
  expect(running.printed()).toContain('ready: app at https://money.example, here http://')
  await eventually(
    async () => running.printed(),
    (printed) => printed.includes('coffer demo'),
  )
  expect(running.printed()).toContain('Coffer is at     https://money.example\n')
  expect(running.printed()).not.toMatch(/old-password|old-secret/)
  const rpc = `http://127.0.0.1:${env.COFFER_RPC_PORT}`
  expect(await statusOf(`http://127.0.0.1:${env.COFFER_PORT}/api/health`)).toBe(200)
  expect(await statusOf(`${rpc}/healthz`)).toBe(200)
  expect(await statusOf(`${rpc}/readyz`)).toBe(200)
  expect(await (await fetch(`${rpc}/metrics`)).text()).toContain('coffer_relay_backlog')

  const second = await runCommand(['serve'], env)
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toBe(
    `Port ${env.COFFER_PORT} for the REST API is in use. ` +
      'Free it, or set COFFER_PORT to another port.\n',
  )

  expect(await runHere(['audit'], env)).toMatchObject({
    code: 0,
    stdout: 'everything adds up\n',
  })
  running.child.kill('SIGTERM')
  expect(await running.outcome).toMatchObject({ code: 0, stderr: '' })
})

test('named services run without the REST API, and accept newer tables', async () => {
  const { env } = place
  await statement(env.COFFER_DATABASE_URL ?? '', later('identity'))
  await using running = startCommand(['serve', 'identity'], env)
  await untilReady(running)
  expect(await statusOf(`http://127.0.0.1:${env.COFFER_RPC_PORT}/readyz`)).toBe(200)
  await expect(fetch(`http://127.0.0.1:${env.COFFER_PORT}/api/health`)).rejects.toThrow()
  running.child.kill('SIGINT')
  expect(await running.outcome).toMatchObject({ code: 0, stderr: '' })
})

test('older tables are migrated, newer ones are not, edited ones are not served', async () => {
  const { env } = place
  const name = `coffer_empty_${process.pid}`
  await statement(env.COFFER_DATABASE_URL ?? '', `CREATE DATABASE ${name}`)
  const url = new URL(env.COFFER_DATABASE_URL ?? '')
  url.pathname = `/${name}`
  const empty = { ...env, COFFER_DATABASE_URL: url.href }
  try {
    expect(await runHere(['serve'], empty)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The tables of identity lack 0001-kit\.sql: run "coffer mig/),
    })
    const first = await runHere(['migrate'], empty)
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('0001-ledger.sql') })
    const again = await runHere(['migrate'], empty)
    expect(again.stdout.trimEnd().split('\n')).toEqual([
      'identity: up to date',
      'ledger: up to date',
      'budgeting: up to date',
      'aggregator-sync: up to date',
      'feed-sync: up to date',
      'notices: up to date',
    ])
    await statement(url.href, later('budgeting'))
    expect(await runHere(['migrate'], empty)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'budgeting: its tables are newer than this program, which has no 9000-later.sql: ' +
        'start the newer version. Nothing was changed.\n',
    })
    await statement(url.href, `UPDATE ledger.applied_migrations SET checksum = 'other'`)
    expect(await runHere(['serve'], empty)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^ledger: 0001-[a-z]+\.sql was edited after it was applied: /),
    })
  } finally {
    await statement(env.COFFER_DATABASE_URL ?? '', `DROP DATABASE ${name} WITH (FORCE)`)
  }
})

test('a gateway by itself starts without Temporal, and while NATS is away', async () => {
  const { COFFER_TEMPORAL_ADDRESS, ...env } = place.env
  const elsewhere = Object.fromEntries(
    ['IDENTITY', 'LEDGER', 'BUDGETING', 'AGGREGATOR_SYNC', 'FEED_SYNC', 'NOTICES'].map((name) => {
      return [`COFFER_${name}_URL`, 'http://127.0.0.1:1']
    }),
  )
  const settings = { ...env, ...elsewhere, COFFER_NATS_URL: away }
  await using running = startCommand(['serve', 'gateway'], settings)
  await untilReady(running)
  expect(await statusOf(`http://127.0.0.1:${env.COFFER_PORT}/api/openapi.json`)).toBe(200)
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.outcome
  expect([code, stderr]).toEqual([0, expect.stringContaining('NATS does not answer')])
})

test('a replay while NATS is away is one line and exit code 1', async () => {
  const outcome = await runHere(['replay'], { ...place.env, COFFER_NATS_URL: away })
  expect(outcome).toMatchObject({ code: 1, stderr: `NATS at ${away} does not answer.\n` })
})

/** Returns an INSERT that records a migration of a later version. */
const later = (schema: string) =>
  `INSERT INTO ${schema}.applied_migrations (name, checksum) VALUES ('9000-later.sql', 'unknown')`

async function statement(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

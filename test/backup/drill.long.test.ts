import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy } from '@coffer/kit/testing/proxy'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts } from '@coffer/local/ports'
import { removePostgresHome } from '@coffer/local/postgres/postgres-home'
import { startStack } from '@coffer/local/stack'
import { expect, test } from '@jest/globals'
import { call, newPerson, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'
import { contentOf } from './tables.ts'

const stack = new AsyncDisposableStack()
const { path: folder } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-drill-')))

/** Starts Postgres, NATS and Temporal without data; returns the settings that name them. */
async function newMachine(): Promise<Record<string, string>> {
  const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
  const dataDir = join(folder, 'machine')
  stack.defer(() => removePostgresHome(dataDir))
  const servers = stack.use(
    await startStack({
      dataDir,
      ports: { postgres, nats, temporal },
      log: createProgress(),
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      fresh: true,
    }),
  )
  return {
    COFFER_DATABASE_URL: servers.databaseUrl,
    COFFER_NATS_URL: servers.natsUrl,
    COFFER_TEMPORAL_ADDRESS: servers.temporalAddress,
  }
}

async function upload(person: Person, path: string): Promise<string> {
  const form = new FormData()
  const content = await readFile(new URL('../data/checking.qfx', import.meta.url))
  form.set('data', new File([new Uint8Array(content)], 'checking.qfx'))
  const { body } = await person.call('POST', `${path}/transactions/upload`, { form })
  return `${path}/transactions/upload/${body.transactionUploadId}`
}

test('a new machine has the same data after a restore, and goes on with all work', async () => {
  await using ended = stack
  const temporal = ended.use(
    await startProxy(`tcp://${requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')}`),
  )
  const former = ended.use(await deploy({ COFFER_TEMPORAL_ADDRESS: new URL(temporal.url).host }))
  await former.start()
  const person = await newPerson(former.baseUrl)
  const kept = await person.createBankAccount(100_000)
  const done = await upload(person, kept.path)
  await eventually(
    () => person.get(done),
    ({ status }) => status === 'complete',
    120_000,
  )
  // The file is removed after the import is complete.
  await eventually(
    () => person.get('/files'),
    (files) => files.length === 0,
  )
  const deleted = await person.createBankAccount(5_000)
  temporal.cut()
  const waiting = await upload(person, kept.path)
  expect((await person.call('DELETE', `/links/${deleted.linkId}`)).status).toBeLessThan(300)
  expect(await person.get(waiting)).toMatchObject({ status: 'pending' })
  const archive = join(folder, 'coffer.age')
  const passphrase = join(folder, 'passphrase')
  writeFileSync(passphrase, 'correct horse battery staple\n')
  const by = ['--passphrase-file', passphrase]
  await former.kill()
  const saved = await former.run('backup', '--to', archive, '--with-keys', ...by)
  expect(saved).toEqual({ code: 0, output: expect.stringContaining(' 1 files, ') })

  const machine = await newMachine()
  const next = ended.use(await deploy(machine))
  const begun = performance.now()
  const restored = await next.run('restore', '--from', archive, ...by)
  expect(restored).toEqual({ code: 0, output: expect.stringContaining('are restored') })
  console.log(`restored in ${Math.round(performance.now() - begun)} ms: ${restored.output}`)
  const databaseUrl = machine.COFFER_DATABASE_URL ?? ''
  expect(await contentOf(databaseUrl)).toEqual(await contentOf(former.databaseUrl))
  expect(await next.run('audit')).toEqual({ code: 0, output: 'everything adds up\n' })

  await next.start()
  const headers = { authorization: person.authorization }
  const get = async (path: string) => (await call(next.baseUrl, 'GET', path, { headers })).body
  const finished = await eventually(
    () => get(waiting),
    ({ status }) => status === 'complete' || status === 'failed',
    120_000,
  )
  expect(finished).toMatchObject({ status: 'complete', importedCount: 0, skippedCount: 316 })
  await eventually(
    () => contentOf(databaseUrl),
    (content) => content['ledger.bank_accounts']?.count === 1,
    120_000,
  )
  console.log(`work in hand was done ${Math.round(performance.now() - begun)} ms after the start`)
  expect(await get('/links')).toHaveLength(1)
  expect(next.output()).not.toContain('NATS has lost')
  expect(await get(kept.path)).toMatchObject({ name: 'Checking' })
  expect(await next.run('audit')).toEqual({ code: 0, output: 'everything adds up\n' })
})

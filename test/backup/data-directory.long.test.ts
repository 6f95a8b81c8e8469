import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from '@coffer/cli/testing/run-here'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts } from '@coffer/local/ports'
import { removePostgresHome } from '@coffer/local/postgres/postgres-home'
import { startDatabase } from '@coffer/local/stack'
import { expect, test } from '@jest/globals'
import { createFormerDatabase } from '../harness/former.ts'
import { contentOf } from './tables.ts'

test('a restore without a database fills the Postgres of a new data directory', async () => {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(mkdtempDisposableSync(join(tmpdir(), 'coffer-own-')))
  const former = stack.use(await createFormerDatabase())
  const source = { COFFER_DATABASE_URL: former.url, COFFER_DATA_DIR: join(path, 'source') }
  for (const command of ['migrate', 'keys:create']) {
    expect((await runHere([command], source)).code).toBe(0)
  }
  const [archive, passphrase] = [join(path, 'coffer.age'), join(path, 'passphrase')]
  writeFileSync(passphrase, 'a passphrase')
  const by = ['--passphrase-file', passphrase]
  const saved = await runHere(['backup', '--to', archive, '--with-keys', ...by], source)
  expect(saved.code).toBe(0)
  const [port = 0] = await freePorts(1)
  const dataDir = join(path, 'target')
  stack.defer(() => removePostgresHome(dataDir))
  const target = { COFFER_DATA_DIR: dataDir, COFFER_POSTGRES_PORT: String(port) }
  const restored = await runHere(['restore', '--from', archive, ...by], target)
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('are restored')])
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  await using own = await startDatabase({ dataDir, port, log: createProgress(), env })
  expect(await contentOf(own.url)).toEqual(await contentOf(former.url))
})

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

// The agent of replicas depends on members of Node's agent (agent-members.test.ts).
const nextNode = '26.12.1'
const root = join(import.meta.dirname, '../../../..')
const run = promisify(execFile)

test(`the tests of the agent pass under Node ${nextNode}`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coffer-node-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
  const name = `node-${process.platform}-${process.arch}`
  await run('npm', ['install', '--prefix', directory, '--no-audit', `${name}@${nextNode}`])
  const node = join(directory, 'node_modules', name, 'bin/node')
  const { stdout: version } = await run(node, ['--version'])
  expect(version.trim()).toBe(`v${nextNode}`)
  const tests = ['replicas', 'mesh', 'agent-members'].map((file) => {
    return `services/host/test/rpc/${file}.test.ts`
  })
  const jest = join(root, 'node_modules/jest/bin/jest.js')
  const { COFFER_TEST_SEED: _seed, ...env } = process.env
  const options = ['--disable-warning=ExperimentalWarning', jest, '--maxWorkers=1', ...tests]
  const { stderr } = await run(node, options, { cwd: root, env })
  expect(stderr).toMatch(/^Test Suites: 3 passed, 3 total$/m)
})

import { join } from 'node:path'
import { root } from '../bootstrap/paths.mjs'
import { createProgress } from '../bootstrap/progress.mjs'
import { testEnvironment } from '../bootstrap/test-environment.mjs'
import { runChecks } from './checks.ts'
import { runJest } from './jest.ts'
import { freePorts } from './ports.ts'
import { removePostgresHome } from './postgres-home.ts'
import { runScript } from './script.ts'
import { startStack } from './stack.ts'

const dataDir = join(root, '.coffer/test')

await runScript(async (stop) => {
  const log = createProgress()
  const [checksFailed, tests] = await Promise.all([
    runChecks({ env: process.env, log }),
    runTests(),
  ])
  removePostgresHome(dataDir)
  const failed = checksFailed + tests.failed
  console.log(`${tests.passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1

  async function runTests() {
    const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
    await using stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
      startStack({
        dataDir,
        ports: { postgres, nats, temporal },
        log,
        env: testEnvironment(process.env),
        fresh: true,
        // What a crash of the machine would lose is not worth the tests' time.
        postgresSettings: { fsync: 'off', full_page_writes: 'off' },
        temporalPragmas: { synchronous: 'off' },
      }),
    )
    return await runJest({
      args: process.argv.slice(2),
      outputFile: join(dataDir, 'results.json'),
      env: {
        ...process.env,
        COFFER_TEST_DATABASE_URL: stack.databaseUrl,
        COFFER_TEST_NATS_URL: stack.natsUrl,
        COFFER_TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
      },
      stop,
    })
  }
})

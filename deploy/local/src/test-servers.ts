import { join } from 'node:path'
import { root } from '../bootstrap/paths.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { testEnvironment } from '../bootstrap/test-environment.mjs'
import { runJest } from './jest.ts'
import { freePorts } from './ports.ts'
import { removePostgresHome } from './postgres/postgres-home.ts'
import { startStack } from './stack.ts'

const dataDir = join(root, '.coffer/test')

type Run = (args: string[], env: NodeJS.ProcessEnv) => ReturnType<typeof runJest>

/**
 * Starts Postgres, NATS and Temporal on free ports without data. Calls `work` with a function that
 * runs jest against these servers, and stops the servers when `work` ends.
 */
export async function withTestServers<Result>(
  { log, stop }: { log: Progress; stop: AbortSignal },
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
  await using after = new AsyncDisposableStack()
  after.defer(() => removePostgresHome(dataDir))
  const stack = after.use(
    await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
      startStack({
        dataDir,
        ports: { postgres, nats, temporal },
        log,
        env: testEnvironment(process.env),
        fresh: true,
        // No fsync: tests need no durability against a crash of the machine.
        postgresSettings: { fsync: 'off', full_page_writes: 'off' },
        natsSyncInterval: '2m',
        isTemporalInMemory: true,
      }),
    ),
  )
  const outputFile = join(dataDir, 'results.json')
  return await work((args, given) => {
    const env = {
      ...given,
      COFFER_TEST_DATABASE_URL: stack.databaseUrl,
      COFFER_TEST_NATS_URL: stack.natsUrl,
      COFFER_TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
    }
    return runJest({ args, outputFile, env, stop })
  })
}

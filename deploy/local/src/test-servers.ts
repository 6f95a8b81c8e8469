import { createHash } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bootstrap/paths.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { testEnvironment } from '../bootstrap/test-environment.mjs'
import { findBrowser } from './browser.ts'
import { runJest } from './jest.ts'
import { freePorts } from './ports.ts'
import { removePostgresHome } from './postgres/postgres-home.ts'
import { startStack } from './stack.ts'

const dataDir = join(root, '.coffer/test')
const memory = '/dev/shm'
const bytesMin = 4 * 2 ** 30

type Run = (args: string[], env: NodeJS.ProcessEnv) => ReturnType<typeof runJest>

/**
 * Starts Postgres, NATS and Temporal on free ports without data, and looks for a browser. Calls
 * `work` with a function that runs jest against these servers, and stops them when `work` ends.
 */
export async function withTestServers<Result>(
  { log, stop }: { log: Progress; stop: AbortSignal },
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3)
  await using after = new AsyncDisposableStack()
  const postgresDir = directoryInMemory()
  const stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({
      dataDir,
      ports: { postgres, nats, temporal },
      log,
      env: testEnvironment(process.env),
      fresh: true,
      postgresDir,
      // No fsync: tests need no durability. No autovacuum: it could analyze tables at any time, and
      // change the query plans that tests compare.
      postgresSettings: { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' },
      natsSyncInterval: '2m',
      isTemporalInMemory: true,
    }),
  )
  // Registered after the start: if another run uses the directory, the start is refused, and the
  // Postgres of that run must not be removed.
  after.defer(() => removePostgresHome(dataDir, postgresDir))
  after.use(stack)
  const browser = await findBrowser({ env: process.env, log })
  const outputFile = join(dataDir, 'results.json')
  return await work((args, given) => {
    const env = {
      ...given,
      // The socket if there is one: a query takes a fifth less CPU time than over TCP.
      COFFER_TEST_DATABASE_URL: stack.databaseSocketUrl ?? stack.databaseUrl,
      COFFER_TEST_NATS_URL: stack.natsUrl,
      COFFER_TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
      ...(browser === null ? {} : { COFFER_TEST_BROWSER: browser }),
    }
    return runJest({ args, outputFile, env, stop })
  })
}

/**
 * Returns an in-memory directory for Postgres, or undefined if the system has none with enough
 * space. Creating a test database (550 files) takes 0.04 s in memory. On ext4 it takes up to 0.7 s,
 * because the search for a free inode skips those that a dropped database has just freed.
 */
function directoryInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < bytesMin) return undefined
  } catch {
    return undefined
  }
  // Each run of a checkout uses the same name, so that it deletes the files of a killed run.
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12)
  return join(memory, `coffer-test-${name}`)
}

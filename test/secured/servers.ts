import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts } from '@coffer/local/ports'
import { startPostgres } from '@coffer/local/postgres/postgres'
import { removePostgresHome } from '@coffer/local/postgres/postgres-home'

const silentProgress: Progress = { say: () => {}, step: (_name, _text, work) => work() }

/** Creates a data directory for a server of one test, which disposing removes. */
function createDataDir(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'coffer-secured-'))
  for (const name of ['log', 'run']) mkdirSync(join(path, name))
  return {
    path,
    [Symbol.dispose]: () => {
      removePostgresHome(path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Starts a Postgres with these settings; returns its URL for the host `localhost`. */
export async function startOwnPostgres(
  settings: Record<string, string>,
): Promise<{ url: string } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(createDataDir())
  const [port = 0] = await freePorts(1)
  const { url, process: server } = await startPostgres({
    dataDir,
    port,
    log: silentProgress,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    fresh: true,
    settings: { fsync: 'off', shared_buffers: '8MB', ...settings },
  })
  stack.defer(async () => server?.stop())
  const started = stack.move()
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

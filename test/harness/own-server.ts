import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { startNats } from '@coffer/local/nats'
import { freePorts } from '@coffer/local/ports'
import { removePostgresHome } from '@coffer/local/postgres/postgres-home'
import type { Server, ServerOptions } from '@coffer/local/server-process'
import { startTemporal } from '@coffer/local/temporal'

export const silentProgress: Progress = { say: () => {}, step: (_name, _text, work) => work() }

/** Creates a data directory for a server of one test, which disposing removes. */
export function createDataDir(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'coffer-own-'))
  for (const name of ['log', 'run']) mkdirSync(join(path, name))
  return {
    path,
    [Symbol.dispose]: () => {
      removePostgresHome(path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** A server of one test, which keeps its port while it is stopped. */
export interface OwnServer extends AsyncDisposable {
  url: string
  dataDir: string
  /** Kills the server with SIGKILL; its data stays. */
  kill: () => Promise<void>
  /** Starts the killed server again, and waits until it answers. */
  start: () => Promise<void>
  /** Starts the killed server again without its former data, and waits until it answers. */
  startEmpty: () => Promise<void>
}

/** Starts a NATS without users. */
export function startPlainNats(): Promise<OwnServer> {
  return startServer((options) => startNats({ ...options, syncInterval: '2m' }))
}

/** Starts Temporal's development server, with these settings (dynamic configuration). */
export function startOwnTemporal(settings: readonly string[] = []): Promise<OwnServer> {
  return startServer((options) => startTemporal({ ...options, settings }))
}

async function startServer(begin: (options: ServerOptions) => Promise<Server>): Promise<OwnServer> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(createDataDir())
  const [port = 0] = await freePorts(1)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  const start = (fresh: boolean) => begin({ dataDir, port, log: silentProgress, env, fresh })
  let running = await start(true)
  stack.defer(async () => running.process?.stop('SIGKILL'))
  const started = stack.move()
  return {
    url: running.url,
    dataDir,
    kill: async () => running.process?.stop('SIGKILL'),
    start: async () => {
      running = await start(false)
    },
    startEmpty: async () => {
      running = await start(true)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

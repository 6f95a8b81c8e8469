import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { nats } from '@coffer/local/bootstrap/tool-table.mjs'
import { ensureBinary } from '@coffer/local/bootstrap/tools.mjs'
import { freePorts } from '@coffer/local/ports'
import { startPostgres } from '@coffer/local/postgres/postgres'
import { logPath, startServerProcess, untilReady } from '@coffer/local/server-process'
import { createDataDir, silentProgress } from '../harness/own-server.ts'

/** A NATS of a test. */
interface OwnNats extends AsyncDisposable {
  /** Replaces the lines of configuration, and lets it read its files again (SIGHUP). */
  configure: (lines: string) => void
  /** Returns the lines of its log. */
  log: () => string[]
}

/** Starts a NATS with JetStream and these lines of configuration. Resolves when it listens. */
export async function startOwnNats(name: string, port: number, lines: string): Promise<OwnNats> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(createDataDir())
  const file = join(dataDir, 'nats.conf')
  const store = `jetstream { store_dir: ${JSON.stringify(dataDir)}, sync_interval: 2m }`
  const write = (own: string) =>
    writeFileSync(file, `listen: "127.0.0.1:${port}"\nserver_name: ${name}\n${store}\n${own}\n`)
  write(lines)
  const command = await ensureBinary(nats, { env: process.env, progress: silentProgress })
  const args = ['--config', file]
  const server = startServerProcess({ name, dataDir, command, args, stopSignal: 'SIGTERM' })
  stack.defer(() => server.stop())
  await untilReady({ name, server, timeoutMs: 30_000, probe: () => requireOpen(port) })
  const started = stack.move()
  return {
    log: () => readFileSync(logPath(dataDir, name), 'utf8').split('\n'),
    configure: (changed) => {
      write(changed)
      process.kill(server.pid, 'SIGHUP')
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

async function requireOpen(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect').finally(() => socket.destroy())
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

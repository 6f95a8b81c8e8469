import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { nats } from '@coffer/local/bootstrap/tool-table.mjs'
import { ensureBinary } from '@coffer/local/bootstrap/tools.mjs'
import { freePorts } from '@coffer/local/ports'
import { startPostgres } from '@coffer/local/postgres/postgres'
import { startServerProcess, untilReady } from '@coffer/local/server-process'
import { createDataDir, silentProgress } from '../harness/own-server.ts'

/**
 * Starts a NATS with JetStream and these lines of configuration. Resolves when it listens; returns
 * its port and a function that sends it SIGHUP, on which it reads its files again.
 */
export async function startOwnNats(
  name: string,
  port: number,
  lines: string,
): Promise<{ reload: () => void } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(createDataDir())
  const file = join(dataDir, 'nats.conf')
  const store = `jetstream { store_dir: ${JSON.stringify(dataDir)}, sync_interval: 2m }`
  writeFileSync(file, `listen: "127.0.0.1:${port}"\nserver_name: ${name}\n${store}\n${lines}\n`)
  const command = await ensureBinary(nats, { env: process.env, progress: silentProgress })
  const args = ['--config', file]
  const server = startServerProcess({ name, dataDir, command, args, stopSignal: 'SIGTERM' })
  stack.defer(() => server.stop())
  await untilReady({ name, server, timeoutMs: 30_000, probe: () => requireOpen(port) })
  const started = stack.move()
  return {
    reload: () => process.kill(server.pid, 'SIGHUP'),
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

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { nats } from '../bootstrap/tool-table.mjs'
import { ensureBinary } from '../bootstrap/tools.mjs'
import { requireFreePort } from './ports.ts'
import {
  type Server,
  type ServerOptions,
  startServerProcess,
  untilReady,
} from './server-process.ts'

const startTimeoutMs = 30_000

/**
 * Starts NATS with its store in `nats/`, unless `COFFER_NATS_URL` names a running server. Throws
 * FatalError when its port is in use, or it does not answer within 30 s.
 */
export async function startNats(
  options: ServerOptions & { syncInterval: string },
): Promise<Server> {
  const { dataDir, port, log, env, fresh, syncInterval } = options
  if (env.COFFER_NATS_URL) return { url: env.COFFER_NATS_URL, process: null }
  const command = await ensureBinary(nats, { env, progress: log })
  await requireFreePort({ port, server: 'NATS', setting: 'COFFER_NATS_PORT' })
  const store = join(dataDir, 'nats')
  if (fresh) {
    rmSync(store, { recursive: true, force: true })
  }
  mkdirSync(store, { recursive: true, mode: 0o700 })
  const server = startServerProcess({
    name: 'nats',
    dataDir,
    command,
    args: ['--config', writeConfig({ dataDir, store, port, syncInterval })],
    stopSignal: 'SIGTERM',
  })
  await untilReady({
    name: 'nats',
    server,
    timeoutMs: startTimeoutMs,
    probe: () => greeting(port),
  })
  return { url: `nats://127.0.0.1:${port}`, process: server }
}

function writeConfig(config: {
  dataDir: string
  store: string
  port: number
  syncInterval: string
}): string {
  const path = join(config.dataDir, 'run/nats.conf')
  writeFileSync(
    path,
    `listen: "127.0.0.1:${config.port}"
server_name: coffer
jetstream {
  store_dir: ${JSON.stringify(config.store)}
  sync_interval: ${config.syncInterval}
}
`,
  )
  return path
}

/** Resolves when the INFO line arrives, which NATS sends first on every connection. */
function greeting(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('connection closed')))
    socket.once('data', (data) => {
      socket.destroy()
      data.toString().startsWith('INFO ') ? resolve() : reject(new Error('not a NATS server'))
    })
  })
}

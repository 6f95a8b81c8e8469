import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { nats } from '../bootstrap/tool-table.mjs'
import { ensureBinary } from '../bootstrap/tools.mjs'
import { requireFreePort } from './ports.ts'
import { stopLeftover } from './process-record.ts'
import { untilReady } from './ready.ts'
import { startServerProcess } from './server-process.ts'
import type { Server, ServerOptions } from './stack.ts'

const startTimeoutMs = 30_000

/** NATS with JetStream in `nats/`, unless `COFFER_NATS_URL` names a running one. */
export async function startNats(options: ServerOptions): Promise<Server> {
  const { dataDir, port, log, env } = options
  if (env.COFFER_NATS_URL) {
    return { url: env.COFFER_NATS_URL, process: null }
  }
  const command = await ensureBinary(nats, { env, progress: log })
  const leftover = await stopLeftover({ dataDir, name: 'nats', signal: 'SIGTERM' })
  if (leftover !== null) {
    log.say('nats', `stopped process ${leftover}, left behind by a killed run`)
  }
  await requireFreePort({ port, server: 'NATS', setting: 'COFFER_NATS_PORT' })
  const server = startServerProcess({
    name: 'nats',
    dataDir,
    command,
    args: ['--config', writeConfig({ dataDir, port })],
    // Its own shutdown on SIGTERM; SIGINT would be the same.
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

function writeConfig({ dataDir, port }: { dataDir: string; port: number }): string {
  const store = join(dataDir, 'nats')
  mkdirSync(store, { recursive: true })
  const path = join(dataDir, 'run/nats.conf')
  // Without sync_interval JetStream acknowledges before a message is on the disk.
  writeFileSync(
    path,
    `listen: "127.0.0.1:${port}"
server_name: coffer
jetstream {
  store_dir: ${JSON.stringify(store)}
  sync_interval: always
}
`,
  )
  return path
}

/** Resolves when the server sends its INFO line, as the first thing on every connection. */
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

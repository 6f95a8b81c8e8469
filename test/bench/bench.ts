// npm run bench: a fresh single process under the load generator; renews docs/benchmarks.md.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { testEnvironment } from '@coffer/local/bootstrap/test-environment.mjs'
import { freePorts } from '@coffer/local/ports'
import { runScript } from '@coffer/local/script'
import { startServerProcess } from '@coffer/local/server-process'
import { startStack } from '@coffer/local/stack'
import { z } from 'zod'
import { Reference, Results, withFigures } from './report.ts'

const dataDir = join(root, '.coffer/bench')
const output = join(dataDir, 'results.json')
const page = join(root, 'docs/benchmarks.md')
const startTimeoutMs = 60_000
const pollMs = 100

/** What there is to measure so far; ONLY in the environment selects others. */
const scenarios = 'health,links*,balances*,tx_offset*,spending_list,post_tx*,transfer*,feed_links'

await runScript(async (stop) => {
  const generator = resolve(
    process.env.COFFER_LOAD_GENERATOR ?? join(root, '../shared/bench/load.mjs'),
  )
  if (!existsSync(generator)) {
    throw new FatalError(`No ${generator}: set COFFER_LOAD_GENERATOR to the load generator.`)
  }
  const log = createProgress()
  const [postgres = 0, nats = 0, temporal = 0, port = 0, rpc = 0, grpc = 0] = await freePorts(6)
  await using stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({
      dataDir,
      ports: { postgres, nats, temporal },
      log,
      env: testEnvironment(process.env),
      fresh: true,
    }),
  )
  const coffer = startServerProcess({
    name: 'coffer',
    dataDir,
    command: process.execPath,
    args: [join(root, 'deploy/cli/src/coffer.ts'), 'serve', '--migrate'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      COFFER_DATA_DIR: dataDir,
      COFFER_DATABASE_URL: stack.databaseUrl,
      COFFER_NATS_URL: stack.natsUrl,
      COFFER_TEMPORAL_ADDRESS: stack.temporalAddress,
      COFFER_PORT: String(port),
      COFFER_RPC_PORT: String(rpc),
      COFFER_GRPC_PORT: String(grpc),
      COFFER_ALLOW_SIGN_UP: 'true',
      COFFER_FEED_ENABLED: 'true',
      COFFER_LOG_LEVEL: 'warn',
    },
    stopSignal: 'SIGTERM',
  })
  await using _coffer = { [Symbol.asyncDispose]: coffer.stop }
  const baseUrl = `http://127.0.0.1:${port}`
  await Promise.race([coffer.running, untilHealthy(baseUrl)])
  const env = {
    ONLY: scenarios,
    // Waits a little for a machine on which nothing else runs.
    QUIET_MAX_S: '60',
    ...process.env,
    BASE_URL: baseUrl,
    OUT: output,
    PROCS: `coffer=${coffer.pid},postgres=${stack.postgresPid}`,
  }
  const code = await Promise.race([coffer.running, load({ generator, env, stop })])
  if (code !== 0) {
    return 1
  }
  await renewPage()
  log.say('bench', `${page} is renewed`)
  return 0
})

async function untilHealthy(baseUrl: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollMs) {
    const answer = await fetch(`${baseUrl}/api/health`).catch(() => null)
    if (answer?.ok) {
      return
    }
    await sleep(pollMs)
  }
  throw new FatalError(`${baseUrl} is not healthy after ${startTimeoutMs / 1000} s.`)
}

function load(options: {
  generator: string
  env: NodeJS.ProcessEnv
  stop: AbortSignal
}): Promise<number> {
  const { generator, env, stop } = options
  return new Promise((done, reject) => {
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit']
    const child = spawn(process.execPath, [generator], { env, stdio })
    stop.addEventListener('abort', () => child.kill(), { once: true })
    child.on('error', reject)
    child.on('exit', (code) => done(code ?? 1))
  })
}

async function renewPage(): Promise<void> {
  const results = Results.parse(JSON.parse(readFileSync(output, 'utf8')))
  const file = join(import.meta.dirname, 'reference.json')
  const reference = z.record(z.string(), Reference).parse(JSON.parse(readFileSync(file, 'utf8')))
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), results, reference))
  await run('biome', ['format', '--write', page], { cwd: root, env: process.env })
}

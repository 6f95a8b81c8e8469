// npm run bench: a fresh single process under the load generator; renews docs/benchmarks.md.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { runScript } from '@coffer/local/script'
import { z } from 'zod'
import { measureOwn } from './own.ts'
import { type OwnFigure, withOwnFigures } from './own-report.ts'
import { Reference, Results, withFigures } from './report.ts'
import { startMeasured } from './server.ts'

const dataDir = join(root, '.coffer/bench')
const output = join(dataDir, 'results.json')
const page = join(root, 'docs/benchmarks.md')

/** All that the load generator measures, in its order; ONLY in the environment selects others. */
const scenarios =
  'health,links*,balances*,tx_offset*,spending_list,forecast,post_tx*,transfer*,patch_spending,' +
  'feed_links'

await runScript(async (stop) => {
  const generator = resolve(
    process.env.COFFER_LOAD_GENERATOR ?? join(root, '../shared/bench/load.mjs'),
  )
  if (!existsSync(generator)) {
    throw new FatalError(`No ${generator}: set COFFER_LOAD_GENERATOR to the load generator.`)
  }
  const log = createProgress()
  await using measured = await startMeasured(dataDir, log)
  const { baseUrl, stack, coffer } = measured
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
  const own = await log.step('own', 'measuring on a million transactions', () =>
    Promise.race([coffer.running, measureOwn(measured)]),
  )
  await renewPage(own)
  log.say('bench', `${page} is renewed`)
  return 0
})

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

async function renewPage(own: OwnFigure[]): Promise<void> {
  const results = Results.parse(JSON.parse(readFileSync(output, 'utf8')))
  const file = join(import.meta.dirname, 'reference.json')
  const reference = z.record(z.string(), Reference).parse(JSON.parse(readFileSync(file, 'utf8')))
  const renewed = withFigures(readFileSync(page, 'utf8'), results, reference)
  writeFileSync(page, withOwnFigures(renewed, own))
  await run('biome', ['format', '--write', page], { cwd: root, env: process.env })
}

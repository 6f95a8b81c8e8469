import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { watchProcessors } from './host/proc-stat.ts'
import { endedRun, Results, withSteal } from './report/results.ts'

/**
 * Runs the load generator and prints its output. Returns its report, with the share of processor
 * time that the host took during each run; null if it fails or is stopped.
 */
export async function measureLoad(options: {
  generator: string
  env: NodeJS.ProcessEnv
  /** Path of the JSON report that the load generator writes. */
  output: string
  stop: AbortSignal
}): Promise<Results | null> {
  const { env, output } = options
  using processors = watchProcessors()
  const ended = new Map<string, number>()
  const onLine = (line: string) => {
    process.stderr.write(`${line}\n`)
    const run = endedRun(line)
    if (run !== null) ended.set(run, performance.now())
  }
  const code = await runToEnd({ ...options, env: { ...env, OUT: output }, onLine })
  if (code !== 0) return null
  const results = Results.parse(JSON.parse(readFileSync(output, 'utf8')))
  return withSteal(results, { ended, readings: processors.readings })
}

function runToEnd(options: {
  generator: string
  env: NodeJS.ProcessEnv
  stop: AbortSignal
  onLine: (line: string) => void
}): Promise<number> {
  const { generator, env, stop, onLine } = options
  return new Promise((done, reject) => {
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    const child = spawn(process.execPath, [generator], { env, stdio })
    const kill = () => child.kill()
    if (stop.aborted) kill()
    stop.addEventListener('abort', kill, { once: true })
    createInterface({ input: child.stderr }).on('line', onLine)
    child.on('error', reject)
    child.on('close', (code) => {
      stop.removeEventListener('abort', kill)
      done(code ?? 1)
    })
  })
}

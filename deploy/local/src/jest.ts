import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24, root } from '../bootstrap/paths.mjs'

const reporter = fileURLToPath(new URL('./count-reporter.cjs', import.meta.url))

/**
 * Runs jest; returns the numbers of passed and failed tests. A test file that cannot run counts as
 * one failure, and so does a run without a report.
 */
export async function runJest(options: {
  args: string[]
  /** File to which jest writes the counts, as JSON. */
  outputFile: string
  env: NodeJS.ProcessEnv
  stop: AbortSignal
  /** Output of jest: the terminal by default, or an open file. */
  output?: 'inherit' | number
}): Promise<{ passed: number; failed: number }> {
  const { args, outputFile, env, stop, output = 'inherit' } = options
  rmSync(outputFile, { force: true })
  const jest = spawn(
    node24,
    [
      '--disable-warning=ExperimentalWarning',
      // In MB. A larger young generation reduces garbage collection: 3 % less CPU time.
      '--max-semi-space-size=32',
      join(root, 'node_modules/jest/bin/jest.js'),
      ...args,
      // These options come last, because jest takes arguments after a list option as its items.
      '--reporters=default',
      `--reporters=${reporter}`,
    ],
    {
      cwd: root,
      env: { ...env, COFFER_TEST_COUNTS: outputFile },
      stdio: ['inherit', output, output],
    },
  )
  stop.addEventListener('abort', () => jest.kill('SIGTERM'), { once: true })
  const code = await new Promise((resolve) => {
    jest.once('exit', resolve)
  })
  const counts = countsIn(outputFile)
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function countsIn(outputFile: string): { passed: number; failed: number } {
  try {
    return JSON.parse(readFileSync(outputFile, 'utf8'))
  } catch {
    return { passed: 0, failed: 1 }
  }
}

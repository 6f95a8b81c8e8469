import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { node24, root } from '../bootstrap/paths.mjs'

/**
 * Runs jest and counts. A test file that cannot even be run, and a jest that ends without a
 * report, count as one failure each.
 */
export async function runJest(options: {
  args: string[]
  /** Where jest's JSON report goes. */
  outputFile: string
  env: NodeJS.ProcessEnv
  stop: AbortSignal
}): Promise<{ passed: number; failed: number }> {
  const { args, outputFile, env, stop } = options
  rmSync(outputFile, { force: true })
  const jest = spawn(
    node24,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      ...[join(root, 'node_modules/jest/bin/jest.js'), '--maxWorkers=2'],
      ...['--json', `--outputFile=${outputFile}`, ...args],
    ],
    // With --json jest repeats the report on its standard output; people read the other one.
    { cwd: root, env, stdio: ['inherit', 'ignore', 'inherit'] },
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
    const report = JSON.parse(readFileSync(outputFile, 'utf8'))
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites
    return { passed: report.numPassedTests, failed }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

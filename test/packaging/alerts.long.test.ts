import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '@coffer/host/testing/fixture/scratch'
import { expect, test } from '@jest/globals'

const run = promisify(execFile)
const rules = fileURLToPath(new URL('../../deploy/helm/coffer/alerts.yaml', import.meta.url))
const cases = fileURLToPath(new URL('../data/alerts.rules.yaml', import.meta.url))

/** Runs Prometheus' promtool; returns what it prints. */
async function promtool(...words: string[]): Promise<string> {
  try {
    return (await run('promtool', words)).stdout
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    if (code !== 'ENOENT') throw new Error(`promtool ${words.join(' ')}:\n${stdout}${stderr}`)
    throw new Error('promtool is missing: install the package prometheus (Debian)')
  }
}

test('the alert rules are valid, fire on their fault, and not without one', async () => {
  expect(await promtool('check', 'rules', rules)).toContain('SUCCESS')
  await using folder = await scratchFolder()
  await copyFile(rules, join(folder.path, 'alerts.yaml'))
  await copyFile(cases, join(folder.path, 'cases.yaml'))
  expect(await promtool('test', 'rules', join(folder.path, 'cases.yaml'))).toContain('SUCCESS')
})

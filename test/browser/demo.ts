import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import type { Page } from 'playwright-core'

/** Creates the demo data on a server with this data directory. */
export async function loadDemo(baseUrl: string, dataDir: string): Promise<void> {
  const program = join(root, 'deploy/cli/src/coffer.ts')
  const env = { ...process.env, COFFER_DATA_DIR: dataDir }
  const args = [...nodeOptions, program, 'demo', '--url', baseUrl]
  await promisify(execFile)(process.execPath, args, { env })
}

/** Signs in to the demo, and waits for home. */
export async function signInToDemo(
  page: Page,
  { baseUrl, dataDir }: { baseUrl: string; dataDir: string },
): Promise<void> {
  const { email, password } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  await page.goto(`${baseUrl}/login`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

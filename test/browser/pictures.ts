// npm run pictures: draws the pictures of the README from the demo, into docs/pictures.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { findBrowser } from '@coffer/local/browser'
import { runScript } from '@coffer/local/script'
import { runMeasured } from '@coffer/test/bench/server.ts'
import type { Page } from 'playwright-core'
import { loadDemo, signInToDemo } from './demo.ts'
import { launchBrowser } from './launch.ts'

const dataDir = join(root, '.coffer/pictures')
const folder = join(root, 'docs/pictures')

const settings = { COFFER_ALLOW_SIGN_UP: 'true', COFFER_UPLOADS_ENABLED: 'true' }

await runScript(async (stop) => {
  const log = createProgress()
  const path = await findBrowser({ env: process.env, log })
  if (path === null) throw new FatalError('The pictures need a browser.')
  mkdirSync(folder, { recursive: true })
  return await runMeasured({ dataDir, log, stop, settings }, async ({ baseUrl }) => {
    await loadDemo(baseUrl, dataDir)
    const browser = await launchBrowser(path)
    try {
      const options = { locale: 'en-US', viewport: { width: 1280, height: 860 } }
      const page = await browser.newPage({ ...options, colorScheme: 'light' })
      await signInToDemo(page, { baseUrl, dataDir })
      await draw(page, { url: baseUrl, text: 'Free to use', name: 'home' })
      await page.emulateMedia({ colorScheme: 'dark' })
      await draw(page, { url: `${baseUrl}/envelopes`, text: 'Expenses', name: 'envelopes' })
      log.say('pictures', 'are in docs/pictures')
      return 0
    } finally {
      await browser.close()
    }
  })
})

/** Draws a screen once it shows a text and no skeleton. */
async function draw(page: Page, of: { url: string; text: string; name: string }): Promise<void> {
  await page.goto(of.url)
  await page.getByText(of.text).first().waitFor()
  await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${of.name}.png`) })
}

// npm run pictures: draws the pictures of the README from the demo and those of the help, into
// docs/pictures, and the icons of the app.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { findBrowser } from '@coffer/local/browser'
import { runScript } from '@coffer/local/script'
import { runMeasured } from '@coffer/test/bench/server.ts'
import type { Browser, Page } from 'playwright-core'
import { loadDemo, signInToDemo } from './demo.ts'
import { drawHelp } from './help/help-pictures.ts'
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
    const browser = await launchBrowser(path)
    try {
      await drawHelp(browser, baseUrl)
      await loadDemo(baseUrl, dataDir)
      const options = { locale: 'en-US', viewport: { width: 1280, height: 860 } }
      const page = await browser.newPage({ ...options, colorScheme: 'light' })
      await signInToDemo(page, { baseUrl, dataDir })
      await draw(page, { url: baseUrl, text: 'is missing for purchases', name: 'home' })
      await page.emulateMedia({ colorScheme: 'dark' })
      await draw(page, { url: `${baseUrl}/envelopes`, text: 'Expenses', name: 'envelopes' })
      await drawIcons(browser)
      log.say('pictures', 'are in docs/pictures')
      return 0
    } finally {
      await browser.close()
    }
  })
})

/** Draws the icons of the installed app from the vector icon; systems cut a maskable one. */
async function drawIcons(browser: Browser): Promise<void> {
  const target = join(root, 'gateway/web/public')
  const svg = readFileSync(join(target, 'icon.svg'), 'utf8')
  const square = svg.replace('rx="8" ', '')
  const icons = [
    { name: 'icon-180', size: 180, image: square },
    { name: 'icon-192', size: 192, image: svg },
    { name: 'icon-512', size: 512, image: svg },
    // The safe zone is the inner 80 % (W3C Web App Manifest).
    { name: 'icon-maskable', size: 512, image: square.replace('0 0 32 32', '-4 -4 40 40') },
  ]
  for (const { name, size, image } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } })
    const ground = name === 'icon-maskable' ? '#0b6b57' : 'none'
    await page.setContent(`<body style="margin:0;background:${ground}">${image}`)
    await page.screenshot({ path: join(target, `${name}.png`), omitBackground: true })
    await page.close()
  }
}

/** Draws a screen once it shows a text and no skeleton. */
async function draw(page: Page, of: { url: string; text: string; name: string }): Promise<void> {
  await page.goto(of.url)
  await page.getByText(of.text).first().waitFor()
  await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${of.name}.png`) })
}

// npm run bench:web -- [times]: measures the time until the reference page shows its operations and
// until home of the demo can be used on a phone, and scrolls of 100,000 transactions; prints the
// sizes of the app.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { findBrowser } from '@coffer/local/browser'
import { runScript } from '@coffer/local/script'
import { runMeasured } from '@coffer/test/bench/server.ts'
import type { Browser, Page } from 'playwright-core'
import { loadDemo, signInToDemo } from './demo.ts'
import { launchBrowser } from './launch.ts'
import { measureLongList } from './long-list.ts'
import { phone, slowDown } from './phone.ts'
import { entryFiles, homeFiles, sizeOf, styleFiles } from './sizes.ts'

const dataDir = join(root, '.coffer/bench')

await runScript(async (stop) => {
  const [times = 10] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const path = await findBrowser({ env: process.env, log })
  if (path === null) throw new FatalError('The benchmark needs a browser.')
  return await runMeasured({ dataDir, log, stop, settings: {} }, async (measured) => {
    const { baseUrl } = measured
    await loadDemo(baseUrl, dataDir)
    const browser = await launchBrowser(path)
    const repeat = async <Visit extends object>(page: string, visit: () => Promise<Visit>) => {
      // The first visit reads and renders the files of the server.
      await visit()
      const loads = loadavg().map(Math.round)
      const measured: Visit[] = []
      for (let at = 0; at < times; at += 1) measured.push(await visit())
      for (const kind of Object.keys(measured[0] ?? {})) {
        const taken = measured.map((one) => Math.round(one[kind as keyof Visit] as number))
        taken.sort((a, b) => a - b)
        const [medianMs, slowestMs] = [taken[Math.floor(times / 2)], taken.at(-1)]
        log.say('bench', JSON.stringify({ page, kind, times, medianMs, slowestMs, loads }))
      }
    }
    try {
      await repeat('reference', () => visitReference(browser, baseUrl))
      await repeat('home', () => visitHome(browser, baseUrl))
      for await (const scrolled of measureLongList(browser, measured)) {
        log.say('bench', JSON.stringify({ ...scrolled, loads: loadavg().map(Math.round) }))
      }
      const [entry, home, styles] = [entryFiles(), homeFiles(), styleFiles()].map(sizeOf)
      log.say('bench', JSON.stringify({ brotliBytes: { entry, home, styles } }))
      return 0
    } finally {
      await browser.close()
    }
  })
})

/**
 * Returns durations in ms until home of the demo shows its figures with their buttons, and until a
 * click has shown the reasons: with an empty cache, and again. The phone has a quarter of the CPU's
 * speed, and a line of 20 Mbit/s.
 */
async function visitHome(browser: Browser, baseUrl: string) {
  // The sign-in has a context of its own, because it fills the cache.
  const signing = await browser.newContext(phone)
  await signInToDemo(await signing.newPage(), { baseUrl, dataDir })
  const context = await browser.newContext({ ...phone, storageState: await signing.storageState() })
  await signing.close()
  const page = await context.newPage()
  await slowDown(page)
  const why = page.getByRole('button', { name: 'Why?' }).first()
  const show = async () => {
    await page.goto(baseUrl, { waitUntil: 'commit' })
    await why.waitFor()
  }
  const explain = async () => {
    await why.click()
    await page.getByText('remains free to use').waitFor()
  }
  const cold = await durationOf(show)
  const coldReason = await durationOf(explain)
  const warm = await durationOf(show)
  const warmReason = await durationOf(explain)
  await context.close()
  return { cold, coldReason, warm, warmReason }
}

/** Returns durations in ms: with an empty cache, again, and of opening an operation. */
async function visitReference(browser: Browser, baseUrl: string) {
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  const visit = async () => {
    await page.goto(`${baseUrl}/api/reference`, { waitUntil: 'commit' })
    // The filter shows once its script has run, after the whole list.
    await page.locator('#filter').waitFor()
  }
  const cold = await durationOf(visit)
  const warm = await durationOf(visit)
  const opened = await durationOf(() => open(page))
  await context.close()
  return { cold, warm, opened }
}

async function open(page: Page): Promise<void> {
  await page.locator('#createSpending > summary').click()
  await page.locator('#createSpending article.active').waitFor()
}

async function durationOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

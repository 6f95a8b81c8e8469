// npm run bench:web -- [times]: measures the time until the reference page shows its operations.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { findBrowser } from '@coffer/local/browser'
import { runScript } from '@coffer/local/script'
import { runMeasured } from '@coffer/test/bench/server.ts'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './launch.ts'

const dataDir = join(root, '.coffer/bench')

await runScript(async (stop) => {
  const [times = 10] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const path = await findBrowser({ env: process.env, log })
  if (path === null) throw new FatalError('The benchmark needs a browser.')
  return await runMeasured({ dataDir, log, stop, settings: {} }, async ({ baseUrl }) => {
    const browser = await launchBrowser(path)
    try {
      // The first visit reads and renders the files of the server.
      await measure(browser, baseUrl)
      const loads = loadavg().map(Math.round)
      const measured: Visit[] = []
      for (let at = 0; at < times; at += 1) measured.push(await measure(browser, baseUrl))
      for (const kind of ['cold', 'warm', 'opened'] as const) {
        const taken = measured.map((one) => Math.round(one[kind])).sort((a, b) => a - b)
        const [medianMs, slowestMs] = [taken[Math.floor(times / 2)], taken.at(-1)]
        log.say('bench', JSON.stringify({ kind, times, medianMs, slowestMs, loads }))
      }
      return 0
    } finally {
      await browser.close()
    }
  })
})

/** Durations in ms: with an empty cache, again in the same window, and of opening an operation. */
interface Visit {
  cold: number
  warm: number
  opened: number
}

async function measure(browser: Browser, baseUrl: string): Promise<Visit> {
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

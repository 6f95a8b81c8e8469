import { fill } from '@coffer/test/bench/own.ts'
import type { Measured } from '@coffer/test/bench/server.ts'
import { newPerson } from '@coffer/test/harness/person.ts'
import type { Browser, CDPSession, Page } from 'playwright-core'

/** Cost of a scroll of the list of transactions, with a quarter of the CPU's speed. */
interface Scrolled {
  framesPerSecond: number
  /** Share of frames that took more than 25 ms, in percent. */
  lateFrames: number
  layoutsPerFrame: number
  /** The most layouts of one frame. */
  layoutsMax: number
  /** Processor time of the page's main thread for a frame, in ms. */
  cpuMs: number
}

const rows = 100_000
const rowPixels = 56

/** Scripts of the page: the list loads as it is scrolled to its end. */
const scrollToEnd = `(async () => {
  const { documentElement: page } = document
  while (page.scrollHeight < ${rows * rowPixels}) {
    scrollTo(0, page.scrollHeight)
    await new Promise((drawn) => requestAnimationFrame(drawn))
  }
})()`
const watchFrames = `(() => {
  const times = (window.frameTimes = [])
  const note = (time) => {
    if (window.frameTimes !== times) return
    times.push(time)
    requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
})()`
const scrollByFrames = `(async () => {
  for (let frame = 0; frame < 300; frame += 1) {
    scrollBy(0, 40)
    await new Promise((drawn) => requestAnimationFrame(drawn))
  }
})()`

/**
 * Loads 100,000 transactions into the list by scrolling, then measures scrolls in their middle: 40
 * pixels each frame by a script, and by the wheel of a mouse. Yields results for a line each.
 */
export async function* measureLongList(
  browser: Browser,
  { baseUrl, stack }: Pick<Measured, 'baseUrl' | 'stack'>,
): AsyncGenerator<object> {
  const person = await newPerson(baseUrl)
  const { id: bankAccountId } = await person.createBankAccount()
  const { accountId } = person
  await fill(stack.databaseUrl, { accountId, bankAccountId, rows })
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
  })
  const [name = '', value = ''] = person.cookie.split('=')
  await context.addCookies([{ name, value, url: baseUrl }])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await page.goto(`${baseUrl}/transactions`)
  await page.locator('li[data-day]').first().waitFor()
  const begin = performance.now()
  await page.evaluate(scrollToEnd)
  yield { rows, loadedSeconds: Math.round((performance.now() - begin) / 1_000) }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.evaluate(`scrollTo(0, ${(rows * rowPixels) / 2})`)
  const scrolls = {
    '40 pixels a frame': () => page.evaluate(scrollByFrames),
    'wheel, 1,000 pixels a second': () => wheel(session, { speed: 1_000, yDistance: -5_000 }),
    'wheel, 3,000 pixels a second': () => wheel(session, { speed: 3_000, yDistance: -15_000 }),
  }
  for (const [scroll, run] of Object.entries(scrolls)) {
    yield { rows, scroll, ...(await measure(page, session, run)) }
  }
  await context.close()
}

async function wheel(session: CDPSession, of: { speed: number; yDistance: number }) {
  const gesture = { x: 640, y: 500, gestureSourceType: 'mouse' as const, ...of }
  await session.send('Input.synthesizeScrollGesture', gesture)
}

async function measure(
  page: Page,
  session: CDPSession,
  run: () => Promise<unknown>,
): Promise<Scrolled> {
  await page.evaluate(watchFrames)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await metricsOf(session)
  await run()
  const after = await metricsOf(session)
  const times = await page.evaluate<number[]>('window.frameTimes')
  await session.send('Performance.disable')
  const taken = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  const frames = taken.length
  const seconds = taken.reduce((sum, one) => sum + one, 0) / 1_000
  const spent = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  return {
    framesPerSecond: round(frames / seconds),
    lateFrames: round((100 * taken.filter((one) => one > 25).length) / frames),
    layoutsPerFrame: round(spent('LayoutCount') / frames),
    layoutsMax: await layoutsMax(page, run),
    cpuMs: round((1_000 * spent('TaskDuration')) / frames),
  }
}

async function metricsOf(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}

/** Returns the most layouts of a frame of another such scroll, which is traced. */
async function layoutsMax(page: Page, run: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()
  await browser?.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'cc'] })
  await run()
  const trace = JSON.parse(String(await browser?.stopTracing()))
  const events: { name: string; ts: number; pid: number }[] = trace.traceEvents
  const layouts = events.filter(({ name }) => name === 'Layout')
  const begins = events
    .filter(({ name, pid }) => /BeginMainFrame$/.test(name) && pid === layouts[0]?.pid)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b)
  const counts = new Map<number, number>()
  for (const { ts } of layouts) {
    const frame = begins.findLastIndex((begin) => begin <= ts)
    counts.set(frame, (counts.get(frame) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

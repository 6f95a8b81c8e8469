import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect } from '@jest/globals'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { launchBrowser } from './launch.ts'
import { phone } from './phone.ts'

/** A page to open, and the settings of its context. */
export interface Viewing {
  url: string
  scheme?: 'light' | 'dark'
  /** Language of the browser, by default `en-US`. */
  locale?: string
  /** Width of the window in CSS pixels; its height is 900. */
  width?: number
  /** Whether the browser is that of a phone with a touch screen. */
  isPhone?: boolean
  /** Whether the server refuses some requests (4xx), which the browser logs. */
  hasRefusals?: boolean
  /** Other origins that the page may ask. */
  origins?: string[]
  /** Whether the app may install its service worker; others never do. */
  hasWorker?: boolean
  /** Whether the server is away for a while, which the browser logs too. */
  hasOutage?: boolean
  /** Whether a page tries to show another one in a frame, whose refusal the browser logs. */
  isFramed?: boolean
  /** `Cookie` header of a session. */
  cookie?: string
  /** Name of a picture for people to look at, in the folder that COFFER_SCREENSHOTS names. */
  picture?: string
}

export interface Viewer {
  /**
   * Opens a page in a context of its own, and runs `look` on it. Fails if the page logs an error or
   * a warning, violates its CSP or requests another origin.
   */
  view: (viewing: Viewing, look: (page: Page) => Promise<void>) => Promise<void>
  /** The same without the CSP, which forbids the script of axe. */
  viewBypassed: Viewer['view']
  /** Opens a page like `view`, and then expects no fault by axe (WCAG 2.2, A and AA). */
  expectAccessible: (viewing: Viewing, look: (page: Page) => Promise<void>) => Promise<void>
}

/** The client pauses for a random time before it repeats a request; then the worker answers. */
const shortPauses = 'const { random } = Math; Math.random = () => random() / 1_000'

/** Rules of axe by tag: WCAG 2.2, levels A and AA, and those about texts. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const texts = ['cat.name-role-value', 'cat.text-alternatives', 'cat.forms', 'cat.language']

// The browser also logs a violation, but a test has to name it.
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.effectiveDirective + ' forbids ' + event.blockedURI))`

/**
 * Starts a browser before the tests of a file, and ends it after them: COFFER_TEST_BROWSER, which
 * `npm test` sets (deploy/local/src/browser.ts). It accepts the certificate in the file `trusted`.
 */
export function useBrowser({ trusted }: { trusted?: string } = {}): Viewer {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser(process.env.COFFER_TEST_BROWSER ?? '', trusted)
  })
  afterAll(() => browser?.close())
  return {
    view: (viewing, look) => inContext(browser, { viewing, isCspBypassed: false }, look),
    viewBypassed: (viewing, look) => inContext(browser, { viewing, isCspBypassed: true }, look),
    expectAccessible: (viewing, look) =>
      inContext(browser, { viewing, isCspBypassed: true }, async (page) => {
        await look(page)
        expect(await axeFaults(page)).toEqual([])
      }),
  }
}

/**
 * Returns what axe finds on a page, whose context bypasses the CSP. The contrast depends on the
 * colours alone, and the language changes names and texts alone.
 */
export async function axeFaults(
  page: Page,
  of: 'all' | 'contrast' | 'texts' = 'all',
): Promise<string[]> {
  // The legacy mode opens no second page for its result; our pages have no frames to look into.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  // Details of what passes cost a third of the time.
  builder.options({
    resultTypes: ['violations'],
    // An experimental rule of WCAG 2.5.3: the name of a button begins with its text.
    rules: { 'label-content-name-mismatch': { enabled: true } },
  })
  if (of === 'all') builder.withTags(wcag)
  else if (of === 'texts') builder.withTags(texts)
  else builder.withRules('color-contrast')
  const { violations } = await builder.analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map((one) => one.message).join()}`),
  )
}

/** Whether COFFER_SCREENSHOTS names a folder. */
const takesPictures = Boolean(process.env.COFFER_SCREENSHOTS)

const looks = [
  { colorScheme: 'light', widths: [360, 1280], faults: 'all' },
  // Layout and other faults do not depend on the colours: the laptop is for pictures alone.
  { colorScheme: 'dark', widths: takesPictures ? [1280, 360] : [360], faults: 'contrast' },
] as const

/**
 * Expects that a page fits a laptop and a phone in both colour schemes, from right to left too, and
 * has no fault by axe. Stores pictures whose names begin with `name`.
 */
export async function expectLooks(page: Page, name: string): Promise<void> {
  for (const { colorScheme, widths, faults } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      for (const dir of ['rtl', 'ltr']) {
        await page.evaluate(`document.documentElement.dir = '${dir}'`)
        const look = [name, colorScheme, width, dir]
        await takePicture(page, look.join('-'))
        expect([...look, await overflowOf(page)]).toEqual([...look, 0])
      }
    }
    expect([name, colorScheme, await axeFaults(page, faults)]).toEqual([name, colorScheme, []])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null })
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Stores a picture of a page for people to look at, if COFFER_SCREENSHOTS names a folder. */
export async function takePicture(page: Page, name: string | undefined): Promise<void> {
  const folder = process.env.COFFER_SCREENSHOTS
  if (!folder || !name) return
  // Dialogs and colours move for a moment.
  await page.waitForTimeout(400)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

const openRequests = new WeakMap<Page, Set<Request>>()

/** Waits until a page has the answers to all its requests, and shows no skeleton. */
export async function waitForAnswers(page: Page): Promise<void> {
  const open = openRequests.get(page) ?? new Set()
  const isQuiet = async () =>
    open.size === 0 && (await page.locator('[data-skeleton]').count()) === 0
  // Twice: an answer may lead to another request.
  for (let quiet = 0; quiet < 2; quiet = (await isQuiet()) ? quiet + 1 : 0) {
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))')
  }
}

/** Counts the requests of a page that have no answer yet. */
function watchRequests(page: Page): void {
  const open = new Set<Request>()
  openRequests.set(page, open)
  // The stream of changes stays open.
  page.on('request', (request) => isOfStream(request) || open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/** Returns whether a request is the stream of changes. */
export function isOfStream(request: Request): boolean {
  return new URL(request.url()).pathname.endsWith('/api/changes/stream')
}

async function inContext(
  browser: Browser,
  { viewing, isCspBypassed }: { viewing: Viewing; isCspBypassed: boolean },
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const { url, scheme = 'light', locale = 'en-US', width = 1280, cookie, picture } = viewing
  const context = await browser.newContext({
    // Without a locale, Chromium takes that of the machine, which may be `en-US@posix`.
    locale,
    colorScheme: scheme,
    viewport: { width, height: 900 },
    bypassCSP: isCspBypassed,
    ...(viewing.isPhone ? phone : {}),
    serviceWorkers: viewing.hasWorker ? 'allow' : 'block',
  })
  context.setDefaultTimeout(30_000)
  const [name = '', value = ''] = cookie?.split('=') ?? []
  if (cookie) await context.addCookies([{ name, value, url: new URL(url).origin }])
  const faults = await faultsOf(context, viewing)
  const page = await context.newPage()
  watchRequests(page)
  await page.goto(url)
  await look(page)
  await takePicture(page, picture)
  await context.close()
  expect(faults).toEqual([])
}

/** Returns a list to which the faults of all pages of a context are added. */
async function faultsOf(context: BrowserContext, viewing: Viewing): Promise<string[]> {
  const { url, origins = [], hasRefusals, hasOutage, hasWorker, isFramed } = viewing
  const allowed = [new URL(url).origin, ...origins]
  const faults: string[] = []
  context.on('console', (message) => {
    if (hasRefusals && /^Failed to load resource: .* status of 4\d\d/.test(message.text())) return
    // A context that blocks workers logs so.
    if (message.text().startsWith('Service Worker registration blocked')) return
    // A worker that becomes active during a load: the files then come from the browser's cache.
    if (hasWorker && message.text().includes('service worker resource mismatch')) return
    if (isFramed && /^(Framing|Refused to (frame|display)) /.test(message.text())) return
    if (hasOutage && /net::ERR_|status of 50[234]|A part of the app/.test(message.text())) return
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('request', (request) => {
    const asked = request.url()
    const isAllowed = allowed.some((origin) => asked.startsWith(`${origin}/`))
    if (!isAllowed && !asked.startsWith('data:')) faults.push(asked)
  })
  await context.addInitScript(reportViolations)
  if (hasOutage && hasWorker) await context.addInitScript(shortPauses)
  return faults
}

/** Returns how far a page is wider than its window, in CSS pixels. */
export async function overflowOf(page: Page): Promise<number> {
  const root = 'document.documentElement'
  return await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`)
}

import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'

/** Where Debian, Ubuntu and macOS have Chromium or Chrome; COFFER_CHROMIUM names another place. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

let coffer: Coffer
let alice: Person
let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
  coffer = await startCoffer()
  alice = await coffer.person()
})

afterAll(async () => {
  await browser?.close()
  await coffer?.[Symbol.asyncDispose]()
})

function findChromium(): string {
  const named = process.env.COFFER_CHROMIUM
  const found = named ?? places.find((path) => existsSync(path))
  if (found !== undefined && existsSync(found)) return found
  throw new Error(
    'Chromium is missing: install the package chromium (on Debian: apt-get install chromium), ' +
      'or set COFFER_CHROMIUM to the path of a Chromium or Chrome',
  )
}

interface Viewing {
  path: string
  scheme?: 'light' | 'dark'
  width?: number
}

/**
 * Opens a page, runs `look` on it and closes it. Throws if the page has logged an error, violated
 * its CSP or sent a request to another host.
 */
async function view(
  { path, scheme = 'light', width = 1280 }: Viewing,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 900 },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${coffer.baseUrl}/`) && !url.startsWith('data:')) faults.push(url)
  })
  await page.goto(`${coffer.baseUrl}${path}`)
  await look(page)
  await screenshot(page, `${path.replaceAll(/\W+/g, '-').slice(1)}-${scheme}-${width}`)
  await context.close()
  expect(faults).toEqual([])
}

/** Stores a picture in the folder that COFFER_SCREENSHOTS names, for people to look at. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.COFFER_SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Returns the lightness of a page's background, 0 to 255. */
async function brightness(page: Page): Promise<number> {
  const root = 'document.documentElement'
  const color = await page.evaluate<string>(`getComputedStyle(${root}).backgroundColor`)
  return Number(/\d+/.exec(color)?.[0])
}

/** Returns how far a page is wider than its window, in CSS pixels. */
async function overflow(page: Page): Promise<number> {
  const root = 'document.documentElement'
  return await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`)
}

test.each(['light', 'dark'] as const)('%s: the reference shows every operation', async (scheme) => {
  const { paths } = await alice.get('/openapi.json')
  const operations = Object.values(paths).flatMap((one) => Object.keys(one as object))
  await view({ path: '/api/reference', scheme }, async (page) => {
    await page.locator('.opblock-tag-section').first().waitFor()
    for (const tag of await page.locator('.opblock-tag').all()) await tag.click()
    expect(await page.locator('.opblock').count()).toBe(operations.length)
    expect((await brightness(page)) > 128).toBe(scheme === 'light')
  })
})

test('a request is sent with a key, and the answer shown', async () => {
  const { linkId } = await alice.createBankAccount()
  const [id = '', secret = ''] = atob(alice.authorization.slice('Basic '.length)).split(':')
  await view({ path: '/api/reference#/Links/listLinks' }, async (page) => {
    await page.getByRole('button', { name: 'Authorize' }).click()
    const dialog = page.locator('.auth-container').filter({ hasText: 'Basic' })
    await dialog.locator('[name=username]').fill(id)
    await dialog.locator('[name=password]').fill(secret)
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await page.locator('.close-modal').click()
    const operation = page.locator('#operations-Links-listLinks')
    await operation.getByText('Example: 10').waitFor()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    expect(await answer.textContent()).toContain(linkId)
    // Examples of optional parameters are not sent.
    const sent = await operation.locator('.request-url').textContent()
    expect(sent).toMatch(/\/api\/links$/)
    await answer.scrollIntoViewIfNeeded()
  })
})

test.each(['light', 'dark'] as const)('%s: an operation shows its fields', async (scheme) => {
  await view({ path: '/api/reference#/Transactions/createTransaction', scheme }, async (page) => {
    const operation = page.locator('#operations-Transactions-createTransaction')
    const guide = operation.getByRole('link', { name: 'transactions', exact: true })
    const { pathname } = new URL((await guide.first().getAttribute('href')) ?? '', page.url())
    expect(pathname).toBe('/api/reference/transactions')
    await operation.locator('.tablinks', { hasText: 'Schema' }).first().click()
    await operation.getByText('adjustsBalance').first().waitFor()
    await operation.scrollIntoViewIfNeeded()
  })
})

test('an operation shows its recorded examples, and sends the chosen one', async () => {
  await view({ path: '/api/reference#/Spending/createSpending' }, async (page) => {
    const operation = page.locator('#operations-Spending-createSpending')
    const body = operation.locator('.opblock-section-request-body')
    await body.getByText('"Rent"').waitFor()
    await body.locator('.examples-select select').selectOption('goal')
    await body.getByText('"Trip to Oslo"').waitFor()
    await operation
      .locator('.responses-inner')
      .getByText('"nextContributionAmount"')
      .first()
      .waitFor()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    expect(await body.locator('textarea').inputValue()).toContain('Trip to Oslo')
    await body.scrollIntoViewIfNeeded()
  })
})

test.each(['light', 'dark'] as const)('%s: a guide is beside the contents', async (scheme) => {
  await view({ path: '/api/reference/first-ten-minutes', scheme }, async (page) => {
    const contents = await page.getByRole('navigation', { name: 'Contents' }).boundingBox()
    const article = await page.locator('article').boundingBox()
    expect(article?.x).toBeGreaterThanOrEqual((contents?.x ?? 0) + (contents?.width ?? 0))
    await page.getByRole('link', { name: 'Errors', exact: true }).first().click()
    await page.waitForURL('**/api/reference/errors')
    await page.goBack()
  })
})

test.each(['light', 'dark'] as const)('%s: guides fit on a phone', async (scheme) => {
  for (const path of ['', '/first-ten-minutes', '/conventions', '/errors', '/limits', '/files']) {
    await view({ path: `/api/reference${path}`, scheme, width: 390 }, async (page) => {
      await page.getByRole('navigation', { name: 'Contents' }).waitFor()
      if (path === '') await page.locator('.opblock-tag-section').first().waitFor()
      expect(await overflow(page)).toBe(0)
    })
  }
})

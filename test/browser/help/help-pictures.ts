import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import type { Browser, Locator, Page } from 'playwright-core'
import { createPictured, type Pictured, type Story, stories } from './household.ts'

const folder = join(root, 'docs/pictures/using')

/** Space around a card, and the width of the window, in CSS pixels. */
const margin = 10
const width = 640

/** Pixels for each CSS pixel, as gateway/web/build/help-pages.ts expects. */
const density = 2

/** The picture has its part of the page alone, no bar and no link of the frame. */
const hidden = 'nav, aside, a[href="#content"] { display: none !important }'

/** Time in which answers that a screen asks for later have come, in ms. */
const settledMs = 800

/** Quality of WebP, at which the letters stay clean. */
const quality = 70

/** Draws the pictures of `docs/using`, in each language, of a household that it creates. */
export async function drawHelp(browser: Browser, baseUrl: string): Promise<void> {
  for (const language of ['en', 'de'] as const) {
    mkdirSync(join(folder, language), { recursive: true })
    const story = stories[language]
    const household = await createPictured(baseUrl, story)
    const context = await browser.newContext({
      locale: story.locale.replace('_', '-'),
      viewport: { width, height: 1200 },
      reducedMotion: 'reduce',
      // A style of our own hides the bar of the phone.
      bypassCSP: true,
    })
    const [name = '', value = ''] = household.cookie.split('=')
    await context.addCookies([{ name, value, url: baseUrl }])
    const page = await context.newPage()
    const draw = async (what: Locator, picture: string, height?: number) =>
      store(page, { what, height, file: join(folder, language, `${picture}.webp`) })
    await drawScreens(page, { baseUrl, household, story, draw })
    await context.close()
  }
}

interface Drawing {
  baseUrl: string
  household: Pictured
  story: Story
  /** Draws an element, at most so high. */
  draw: (what: Locator, picture: string, height?: number) => Promise<void>
}

async function drawScreens(page: Page, drawing: Drawing): Promise<void> {
  const { baseUrl, household, draw } = drawing
  const main = page.locator('main')
  const open = async (path: string, account = household.account) => {
    await page.goto(`${baseUrl}${path}?account=${account}`)
    await page.locator('h1').waitFor()
    await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' })
    await page.waitForTimeout(settledMs)
  }
  await open('/')
  await draw(main, 'home', 960)
  await open('/envelopes')
  await draw(main, 'envelopes')
  await open('/schedules')
  await draw(main.locator('section').first(), 'paydays')
  await open(`/envelopes/${household.rent}`)
  await draw(main.locator('section').nth(1), 'bill')
  await open('/', household.card)
  await draw(main.locator('section').first(), 'card')
  await open('/forecast')
  await draw(main.locator('section').first(), 'forecast')
  await drawForms(page, drawing, open)
}

/** Draws dialogs and the preview of a file, filled in as a person does. */
async function drawForms(
  page: Page,
  { household, story, draw }: Drawing,
  open: (path: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  const { texts, envelopes, payees } = story
  await open('/envelopes')
  await page.getByRole('button', { name: texts.move }).click()
  await dialog.locator('input').fill(texts.sum)
  await dialog.locator('select').last().selectOption(household.rent)
  await page.waitForTimeout(settledMs)
  await draw(dialog, 'move')
  await open('/transactions')
  await page.getByRole('button', { name: texts.add, exact: true }).click()
  await dialog.getByText(texts.received).click()
  await dialog.locator('[name=name]').fill(payees[4])
  await dialog.locator('[name=amount]').fill(texts.refund)
  await dialog.locator('[name=spendingId]').selectOption({ label: envelopes[1] })
  await draw(dialog, 'refund', 560)
  await open('/imports')
  const file = { name: texts.fileName, mimeType: 'text/csv', buffer: Buffer.from(story.file) }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: texts.preview }).click()
  await page.getByRole('heading', { name: texts.stored }).waitFor()
  await page.waitForTimeout(settledMs)
  await draw(page.locator('main section').first(), 'import')
}

interface Stored {
  what: Locator
  height?: number | undefined
  file: string
}

/** Stores a part of a page as WebP, which playwright itself does not write. */
async function store(page: Page, { what, height: heightMax, file }: Stored): Promise<void> {
  await page.addStyleTag({ content: hidden })
  const box = await what.boundingBox()
  if (box === null) throw new Error(`${file}: nothing is shown`)
  const isCard = box.width < width - margin
  const space = isCard ? margin : 0
  const clip = {
    x: box.x - space,
    y: box.y - space,
    width: box.width + 2 * space,
    height: Math.min(heightMax ?? Number.POSITIVE_INFINITY, box.height + 2 * space),
    scale: density,
  }
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    clip,
  })
  await session.detach()
  writeFileSync(file, Buffer.from(data, 'base64'))
}

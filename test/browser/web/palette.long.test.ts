import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { started } from '@coffer/host/testing/started'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { startFeedWorld } from '@coffer/test/mesh/feed-world.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, takePicture, useBrowser, waitForAnswers } from '../browser.ts'
import { createHousehold } from './household.ts'

const { view, viewBypassed } = useBrowser()

const world = started(() => startFeedWorld())

/** Paths of the screens that need no ID, as the routes of the app name them. */
function screenPaths(): string[] {
  const routes = readFileSync(join(root, 'gateway/web/src/routes.tsx'), 'utf8')
  const paths = [...routes.matchAll(/path: '(\/[^$']*)'/g)].map(([, path = '']) => path)
  // Only a payment leads to the latter.
  return paths.filter((path) => path !== '/account/subscribe/after')
}

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k')
  const find = page.getByRole('combobox', { name: 'Find or go to' })
  await find.and(page.locator(':focus')).waitFor()
  return find
}

const wanted = `webhooks|api key|password|second factor|export|feed|language|delete account
add a bank account|mapping|deleted|keys`

test('the palette finds every screen and section of the settings by its heading', async () => {
  const { coffer } = world
  const alice = await coffer.person()
  await createHousehold(alice)
  await viewBypassed({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    const options: string[] = []
    for (const path of screenPaths()) {
      await page.goto(`${coffer.baseUrl}${path}`)
      await waitForAnswers(page)
      const heading = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      options.push(`${heading} Screen`)
      if (path !== '/settings') continue
      const sections = await page.getByRole('heading', { level: 2 }).allTextContents()
      expect(sections.length).toBeGreaterThan(9)
      options.push(...sections.map((one) => `${one} Settings`))
    }
    expect(options).toContain('By a feed of your own Screen')
    const find = await openPalette(page)
    for (const name of options) {
      await find.fill(name.replace(/ \w+$/, ''))
      await page.getByRole('option', { name, exact: true }).waitFor()
    }
    for (const text of wanted.split(/[|\n]/)) {
      await find.fill(text)
      await page.getByRole('option').first().waitFor()
    }
    await find.fill('token')
    await takePicture(page, 'web-palette-section')
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.locator('#api-keys:focus').waitFor()
    await openPalette(page)
    await page.keyboard.type('add a webhook')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add a webhook' }).waitFor()
  })
})

test('the palette over an open form takes the focus, and gives it back', async () => {
  const { coffer } = world
  const bob = await coffer.person()
  await createHousehold(bob)
  await view({ url: `${coffer.baseUrl}/envelopes`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('button', { name: 'Move money' }).click()
    const amount = page.getByRole('dialog', { name: 'Move money' }).getByLabel('Amount')
    await amount.focus()
    const find = await openPalette(page)
    await page.keyboard.type('Tags')
    expect(await find.inputValue()).toBe('Tags')
    await takePicture(page, 'web-palette-over-form')
    await page.keyboard.press('Escape')
    await find.waitFor({ state: 'detached' })
    await amount.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('5')
    expect(await amount.inputValue()).toBe('5')
    await openPalette(page)
    await page.keyboard.type('Tags')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
  })
})

test('an amount is found in every bank account, as its currency writes it', async () => {
  const { coffer } = world
  const carol = await coffer.person()
  const { bank, linkId } = await carol.createBankAccount()
  const date = new Date().toISOString()
  await carol.client.createTransaction({ ...bank, body: { name: 'Cinema', amount: 98_000, date } })
  await carol.client.createTransaction({ ...bank, body: { name: 'Kiosk', amount: 980, date } })
  const yen = { linkId, name: 'Tokyo', currency: 'JPY', availableBalance: 0, currentBalance: 0 }
  const { bankAccountId } = await carol.post('/bank_accounts', yen)
  const ramen = { name: 'Ramen', amount: 980, date }
  await carol.client.createTransaction({ path: { bankAccountId }, body: ramen })
  const url = `${coffer.baseUrl}/?account=${bank.path.bankAccountId}`
  await view({ url, cookie: carol.cookie }, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const find = await openPalette(page)
    const found = page.getByRole('option').filter({ hasText: / · / })
    for (const text of ['¥980', '980 JPY', '980 jpy']) {
      await find.fill(text)
      await found.getByText('Ramen').waitFor()
      await page.getByText('Kiosk').waitFor({ state: 'detached' })
    }
    await find.fill('9.80')
    await found.getByText('Kiosk').waitFor()
    await page.getByText('Ramen').waitFor({ state: 'detached' })
    await find.fill('980')
    await page.getByRole('option', { name: 'Search for the amount 980.00 instead' }).waitFor()
    await takePicture(page, 'web-palette-currencies')
    await page.getByRole('option', { name: 'Search for the amount 980 JPY instead' }).click()
    await found.getByText('Ramen').waitFor()
  })
})

test('j and k go through the changes of the history', async () => {
  const { coffer } = world
  const dave = await coffer.person()
  await createHousehold(dave)
  await view({ url: `${coffer.baseUrl}/history`, cookie: dave.cookie }, async (page) => {
    await page.getByText('Available: At the start').waitFor()
    await page.keyboard.press('j')
    const line = page.locator('[data-line]:focus')
    const first = await line.textContent()
    await page.keyboard.press('j')
    expect(await line.textContent()).not.toBe(first)
    await takePicture(page, 'web-history-line')
    await page.keyboard.press('k')
    expect(await line.textContent()).toBe(first)
  })
})

test('with many bank accounts the palette says in which envelopes it searches', async () => {
  const { coffer } = world
  const erin = await coffer.person()
  const { linkId } = await erin.createBankAccount()
  for (let at = 2; at <= 21; at++) {
    const body = { linkId, name: `Pot ${at}`, availableBalance: 0, currentBalance: 0 }
    await erin.post('/bank_accounts', body)
  }
  await view({ url: `${coffer.baseUrl}/tags`, cookie: erin.cookie }, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await openPalette(page)
    await page.getByText('Envelopes are searched in the first 20 bank accounts.').waitFor()
  })
})

import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, overflowOf, takePicture, useBrowser } from '../browser.ts'
import { smallTargets } from '../targets.ts'
import { createHousehold } from './household.ts'
import { openDisclosures, screensOf, visit } from './screens.ts'

const { view, viewBypassed } = useBrowser()

/** Returns the texts of links that have no room. */
const squeezedLinks = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main a')]
    .filter((link) => link.offsetParent && link.offsetWidth < 24).map((link) => link.textContent)`)

const coffer = started(() => startCoffer())

test('the first payday is accessible', async () => {
  const bob = await coffer.person()
  await bob.createBankAccount(0)
  const viewing = { url: `${coffer.baseUrl}/setup/plan`, cookie: bob.cookie }
  await viewBypassed(viewing, async (page) => {
    await page.getByText('When does money come in?').waitFor()
    expect(await axeFaults(page)).toEqual([])
  })
})

test('first envelopes are proposed from payments that come while the page is open', async () => {
  const carol = await coffer.person()
  const { bank } = await carol.createBankAccount(0)
  const body = { name: 'Payday', ruleset: 'DTSTART:20260116T060000Z\nRRULE:FREQ=WEEKLY' }
  await carol.client.createFundingSchedule({ ...bank, body })
  const viewing = { url: `${coffer.baseUrl}/icon.svg`, cookie: carol.cookie }
  await viewBypassed(viewing, async (page) => {
    // Before the search for similar ones, payments of one name belong together.
    await page.route(/similar/, (route) => route.fulfill({ status: 204 }))
    await page.goto(`${coffer.baseUrl}/setup/plan`)
    await page.getByText('Enter what these need').waitFor()
    expect(await page.getByLabel('Comes again').nth(1).inputValue()).toBe('monthly')
    const rents = ['2026-09-01', '2026-10-01'].map((day) => ({
      name: 'Brook & Co',
      amount: 95_000,
      date: `${day}T06:00:00Z`,
    }))
    await carol.client.createTransactions({ ...bank, body: { transactions: rents } })
    await page.getByText('Proposed from your transactions').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Brook & Co')
    expect(await page.getByLabel('Amount needed').inputValue()).toBe('950.00')
    await page.getByRole('button', { name: 'Create one envelope' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const gym = { name: 'Gym', amount: 2_500 }
    const paid = ['2026-09-05', '2026-10-05', '2026-11-05'].map((day) => ({
      ...gym,
      date: `${day}T06:00:00Z`,
    }))
    await carol.client.createTransactions({ ...bank, body: { transactions: paid } })
    await page.goto(`${coffer.baseUrl}/envelopes`)
    await takePicture(page, 'web-find-payments')
    await page.getByRole('link', { name: 'Find payments that come again' }).click()
    await page.getByText('and no envelope pays them').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Gym')
    expect(await page.getByLabel('Comes again').inputValue()).toBe('monthly')
    await takePicture(page, 'web-further-envelopes')
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel('Gym', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Back to envelopes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Envelopes' }).waitFor()
  })
})

test('a payment below zero says where to take money from; a payday in use is kept', async () => {
  const erin = await coffer.person()
  await createHousehold(erin)
  const viewing = { url: `${coffer.baseUrl}/transactions`, cookie: erin.cookie }
  await viewBypassed(viewing, async (page) => {
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add' }).click()
    await dialog.getByLabel('Name').fill('Trip')
    await dialog.getByLabel('Amount').fill('2000')
    await dialog.getByLabel('Day', { exact: true }).fill('tomorrow')
    await dialog.getByText(', tomorrow: the money counts').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const note = page.getByRole('status').filter({ hasText: /Free to use is now −\$1,\d/ })
    await note.getByRole('button', { name: 'Move money' }).click()
    const move = page.getByRole('dialog', { name: 'Move money' })
    const fault = move.getByText('This cannot be read as an amount')
    await move.getByLabel('Amount').fill('12+')
    await move.getByRole('button', { name: 'Move it' }).click()
    await fault.waitFor()
    await move.getByLabel('Amount').fill('12')
    expect(await fault.count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.goto(coffer.baseUrl)
    await page.getByRole('link', { name: 'Below zero: move money out of an envelope' }).waitFor()
    await page.goto(`${coffer.baseUrl}/schedules`)
    await page.getByRole('button', { name: 'Delete Payday' }).click()
    await dialog.getByText('It fills envelopes: Groceries.').waitFor()
    await dialog.locator('button[aria-disabled]', { hasText: 'Delete' }).waitFor()
  })
})

test('the choice of another bank account leads from an envelope to the list', async () => {
  const dave = await coffer.person()
  const { spendingId, id } = await createHousehold(dave)
  const other = await dave.createBankAccount(7_700)
  const url = `${coffer.baseUrl}/envelopes/${spendingId}?account=${id}`
  await viewBypassed({ url, cookie: dave.cookie }, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Groceries' }).waitFor()
    await page.getByLabel('Bank account').selectOption(other.id)
    await page.getByRole('heading', { level: 1, name: 'Envelopes' }).waitFor()
    await page.getByText('No envelopes yet.').waitFor()
  })
})

test('every screen works on reload, is accessible, fits a phone and 200 % of zoom', async () => {
  const alice = await coffer.person()
  const screens = screensOf(await createHousehold(alice))
  await viewBypassed({ url: `${coffer.baseUrl}/login`, cookie: alice.cookie }, async (page) => {
    for (const { path, heading } of screens) {
      await page.setViewportSize({ width: 1280, height: 900 })
      const name = await visit(page, { ...coffer, path, heading })
      await takePicture(page, name)
      await openDisclosures(page)
      expect([path, await axeFaults(page)]).toEqual([path, []])
      // A zoom of 200 % halves the window (WCAG 2.2, 1.4.4).
      await page.setViewportSize({ width: 640, height: 450 })
      expect([path, await overflowOf(page)]).toEqual([path, 0])
      await takePicture(page, `${name}-zoom`)
      await page.setViewportSize({ width: 360, height: 800 })
      expect([path, await overflowOf(page)]).toEqual([path, 0])
      // The text alone, as a browser with a larger font has it.
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      expect([path, await overflowOf(page), await squeezedLinks(page)]).toEqual([path, 0, []])
    }
  })
})

test('a finger finds every target of a phone: it has 24 px, or is within a sentence', async () => {
  const alice = await coffer.person()
  const screens = screensOf(await createHousehold(alice))
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: alice.cookie, isPhone: true }
  const small: string[] = []
  await view(viewing, async (page) => {
    for (const { path, heading } of screens) {
      await visit(page, { ...coffer, path, heading })
      small.push(...(await smallTargets(page)).map((one) => `${path}: ${one}`))
    }
    await visit(page, { ...coffer, path: '/', heading: 'Home' })
    await takePicture(page, 'web-home-phone')
    await page.getByRole('button', { name: 'New transaction' }).tap()
    await page.getByRole('dialog').getByLabel('Amount').fill('61.40+18.00')
    await page.getByText('= $79.40').waitFor()
    await takePicture(page, 'web-sum-phone')
    await page.getByRole('dialog').getByLabel('Name').fill('Cinema')
    await page.getByRole('button', { name: 'Save' }).tap()
    await page.getByText('Cinema: saved.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByLabel('Envelope for Cinema').waitFor()
    await page.getByRole('button', { name: 'Undo' }).tap()
    await page.getByLabel('Envelope for Cinema').waitFor({ state: 'detached' })
  })
  expect(small).toEqual([])
})

test('every screen is accessible on a phone in dark colours', async () => {
  const alice = await coffer.person()
  const screens = screensOf(await createHousehold(alice))
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: alice.cookie }
  await viewBypassed({ ...viewing, scheme: 'dark', width: 360 }, async (page) => {
    for (const { path, heading } of screens) {
      const shown = await visit(page, { ...coffer, path, heading })
      await takePicture(page, `${shown}-phone`)
      expect([path, await axeFaults(page)]).toEqual([path, []])
    }
  })
})

test('every screen of an empty bank account is accessible', async () => {
  const bob = await coffer.person()
  await bob.createBankAccount(0)
  await viewBypassed({ url: `${coffer.baseUrl}/login`, cookie: bob.cookie }, async (page) => {
    for (const { path, heading } of screensOf(null)) {
      const shown = await visit(page, { ...coffer, path, heading })
      await takePicture(page, `${shown}-empty`)
      expect([path, await axeFaults(page)]).toEqual([path, []])
    }
  })
})

test('a click on Save counts while a day cannot be read', async () => {
  const bob = await coffer.person()
  await bob.createBankAccount(0)
  await view({ url: `${coffer.baseUrl}/schedules`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('button', { name: 'New payday' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('Salary')
    await form.getByLabel('Next payday', { exact: true }).fill('soon')
    const save = form.getByRole('button', { name: 'Save' })
    const height = (await save.boundingBox())?.height ?? 0
    await save.hover({ position: { x: 4, y: height - 4 } })
    // The press leaves the field: the button must not move away before the release.
    await page.mouse.down()
    await page.mouse.up()
    await form.locator('input[aria-invalid]:focus').waitFor()
    expect(await form.locator('[aria-invalid]').count()).toBe(1)
    await takePicture(page, 'web-unread-day')
  })
})

test('on a phone the chosen theme is marked, beside the hidden choice of the frame', async () => {
  const dora = await coffer.person()
  await dora.createBankAccount(0)
  const viewing = { url: `${coffer.baseUrl}/more`, cookie: dora.cookie, isPhone: true }
  await view(viewing, async (page) => {
    const dark = page.locator('main').getByRole('radio', { name: 'Dark' })
    await page.locator('main label[title="Dark"]').click()
    await page.locator('html[data-theme="dark"]').waitFor()
    expect(await dark.isChecked()).toBe(true)
  })
})

test('a paid bill, a refund of nothing, and places on a phone', async () => {
  const frank = await coffer.person()
  const { bank, spendingId, fundingScheduleId, id } = await createHousehold(frank)
  const { client } = frank
  const date = new Date().toISOString()
  const back = { name: 'Back', amount: -4_860, date, refundSpendingId: spendingId }
  await client.createTransaction({ ...bank, body: back })
  await frank.createBankAccount(0)
  const url = `${coffer.baseUrl}/envelopes/${spendingId}?account=${id}`
  await view({ url, cookie: frank.cookie }, async (page) => {
    await page.getByText('without effect: nothing was spent').waitFor()
    const needed = page.getByText('Needed on').locator('xpath=following-sibling::dd')
    const former = await needed.textContent()
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    await page.getByText('money now collects for the one after it').waitFor()
    await page.locator('dd', { hasText: former ?? '' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const form = page.getByRole('dialog')
    await form.getByText('money now collects for the one after it').waitFor()
    const { data } = await client.explainSpending({ path: { ...bank.path, spendingId } })
    const [year, month, day] = (data.due ?? '').slice(0, 10).split('-')
    const shown = await form.getByLabel('Needed on', { exact: true }).inputValue()
    expect(shown).toBe([month, day, year].join('/'))
    await takePicture(page, 'web-edit-paid')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: /^Skip/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Bank account: Checking/).waitFor()
  })
  const nextRecurrence = '2030-01-01T06:00:00Z'
  const plan = { name: 'Trip', fundingScheduleId, targetAmount: 40_000, nextRecurrence }
  await client.createSpending({ ...bank, body: { ...plan, spendingType: 'goal' } })
  const phone = { url: `${coffer.baseUrl}/?account=${id}`, cookie: frank.cookie, isPhone: true }
  await view(phone, async (page) => {
    await page.getByRole('button', { name: 'Why?' }).first().click()
    await page.getByText('Your goal holds nothing yet.').waitFor()
    const current = page.locator('nav a[aria-current="page"]:visible')
    expect(await current.textContent()).toBe('Home')
    await page.goto(`${coffer.baseUrl}/schedules`)
    await page.getByRole('heading', { level: 1, name: 'Paydays' }).waitFor()
    expect(await current.textContent()).toBe('More')
    await page.goto(`${coffer.baseUrl}/settings`)
    await page.getByRole('region', { name: 'API keys' }).getByLabel('Name').fill('script')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.locator('[role=status]:focus code').waitFor()
  })
})

import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from './browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Returns the day that comes `days` days after today in Chicago, `20261130`. */
function dayAfter(days: number): string {
  const today = new Date().toLocaleDateString('sv', { timeZone: 'America/Chicago' })
  const day = new Date(Date.parse(today) + days * 86_400_000)
  return day.toISOString().slice(0, 10).replaceAll('-', '')
}

const rulesetOf = (days: number, rule: string) =>
  `DTSTART:${dayAfter(days)}T060000Z\nRRULE:FREQ=WEEKLY${rule}`

/** Creates a payday in three days, and an expense of 90.00 a week, or by a rule, from tomorrow. */
async function createWeek(person: Person, rule = '') {
  const { bank } = await person.createBankAccount(100_000)
  const { client } = person
  const schedule = { name: 'Wage', ruleset: rulesetOf(3, ';INTERVAL=2'), estimatedDeposit: 180_000 }
  const { fundingScheduleId } = (await client.createFundingSchedule({ ...bank, body: schedule }))
    .data
  const plan = { name: 'Food', fundingScheduleId, targetAmount: 90_00, settlesWhenSpent: true }
  const expense = { ...plan, spendingType: 'expense', ruleset: rulesetOf(1, rule) } as const
  const { spendingId } = (await client.createSpending({ ...bank, body: expense })).data
  const pay = async (amount: number) => {
    const paid = { name: 'Shop', amount, date: new Date().toISOString(), spendingId }
    await client.createTransaction({ ...bank, body: paid })
  }
  const fill = (amount: number) =>
    client.transferBetweenEnvelopes({ ...bank, body: { toSpendingId: spendingId, amount } })
  return { bank, spendingId, pay, fill }
}

const open = async (page: Page, place: string) => {
  await page.getByRole('link', { name: place, exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: place }).waitFor()
}

test('every screen announces what the next payday books after a bill', async () => {
  const alice = await coffer.person()
  const { pay, fill } = await createWeek(alice)
  await fill(162_87)
  await pay(42_76)
  // Budgeting learns of the moved money by an event.
  await eventually(
    () => alice.get('/overview'),
    (overview) => JSON.stringify(overview).includes('"contribution":10713'),
  )
  await view({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    await page.getByText('fills one envelope with $107.13').waitFor()
    await open(page, 'Paydays')
    await page.getByText('$107.13').nth(1).waitFor()
    await open(page, 'Envelopes')
    await page.getByText('Next payday puts in $107.13').waitFor()
    await page.getByRole('link', { name: 'Food' }).click()
    await page.getByText('adds $107.13').waitFor()
    await page.getByRole('definition').getByText('$107.13').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('The next payday puts $107.13 into it.').waitFor()
  })
})

test('a bill that free to use has paid is marked as paid by a person', async () => {
  const bob = await coffer.person()
  const { pay, fill } = await createWeek(bob)
  await fill(10_00)
  await pay(90_00)
  await view({ url: `${coffer.baseUrl}/envelopes`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('link', { name: 'Food' }).click()
    const said = page.getByText('$90.00 was paid since')
    expect(await said.textContent()).toContain('$80.00 of it not out of this envelope')
    await takePicture(page, 'web-bill-from-free')
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    await page.getByText(/^The bill of .* is marked as paid\.$/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await said.waitFor()
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    await said.waitFor({ state: 'detached' })
    await open(page, 'Envelopes')
    await page.getByText('Paid', { exact: true }).waitFor()
  })
})

test('the note about a payment as large as the next bill offers to mark it as paid', async () => {
  const dan = await coffer.person()
  const { bank, fill } = await createWeek(dan)
  await fill(10_00)
  const body = { name: 'Market', amount: 88_00, date: new Date().toISOString() }
  await dan.client.createTransaction({ ...bank, body })
  await view({ url: coffer.baseUrl, cookie: dan.cookie, width: 360 }, async (page) => {
    await page.getByLabel('Envelope for Market').selectOption('Food')
    const note = page.getByRole('status').filter({ hasText: 'Market: from Food.' })
    await note.getByText(/If it was the bill of .*, mark it as paid: else/).waitFor()
    await takePicture(page, 'web-note-bill-phone')
    await note.getByRole('button', { name: 'Mark as paid' }).click()
    await page.getByText(/^The bill of .* is marked as paid\.$/).waitFor()
    await page.goto(`${coffer.baseUrl}/envelopes`)
    await page.getByText('Paid', { exact: true }).waitFor()
  })
})

test('groceries are not behind: their card says how long the rest lasts', async () => {
  const eve = await coffer.person()
  const { bank, spendingId, pay, fill } = await createWeek(eve)
  const path = { ...bank.path, spendingId }
  await eve.client.updateSpending({ path, body: { carryOver: true } })
  await fill(30_00)
  await view({ url: `${coffer.baseUrl}/envelopes`, cookie: eve.cookie }, async (page) => {
    await page.getByText('left until the payday in 3 days').waitFor()
    expect(await page.getByText('Behind', { exact: true }).count()).toBe(0)
    await takePicture(page, 'web-groceries')
    await page.getByRole('link', { name: 'Food' }).click()
    await page.getByText(/^\$30\.00 is left until the payday on/).waitFor()
    const shown = await page.getByRole('main').textContent()
    expect(shown).not.toMatch(/Next bill|behind|late|Mark as paid/)
    await takePicture(page, 'web-groceries-page')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Its $30.00 becomes free to use.').waitFor()
    await page.getByText('This cannot be undone.').waitFor()
    await takePicture(page, 'web-delete-envelope')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await open(page, 'Envelopes')
    await pay(30_00)
    await page.reload()
    await page.getByText('Used up', { exact: true }).waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    await takePicture(page, 'web-groceries-phone')
    // The setting of a server decides on those that leave it open.
    await eve.client.updateSpending({ path, body: { carryOver: null } })
    await page.route(/api.overview/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const overview = { ...(await response.json()), expenseCarryOver: true }
      await route.fulfill({ response, json: overview })
    })
    await page.reload()
    await page.getByText('Used up', { exact: true }).waitFor()
  })
})

test('a late bill shows on its card, in the table and on home', async () => {
  const carol = await coffer.person()
  const { pay, fill } = await createWeek(carol)
  await fill(90_00)
  const day = 86_400_000
  const at = (days: number) => new Date(Date.now() + days * day).toISOString()
  const late = { lastRecurrence: at(-2), graceUntil: at(3), graceAmount: 90_00 }
  await view({ url: coffer.baseUrl, cookie: carol.cookie }, async (page) => {
    // The clock of the server cannot pass a due date here: its answer is that of the day after.
    await page.route(/\/spending(\?.*)?$/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const spending = ((await response.json()) as object[]).map((one) => ({ ...one, ...late }))
      await route.fulfill({ response, json: spending })
    })
    await page.reload()
    const waits = page.getByText('$90.00 of the last period waits for a late bill until')
    await waits.waitFor()
    await page.getByRole('heading', { name: 'Late' }).waitFor()
    await open(page, 'Envelopes')
    await waits.waitFor()
    await page.getByText('Late', { exact: true }).waitFor()
    await takePicture(page, 'web-late')
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.getByRole('cell', { name: 'Late' }).waitFor()
    await page.getByRole('link', { name: 'Food' }).click()
    const last = new Date(Date.parse(late.graceUntil) - day)
    const name = last.toLocaleDateString('en-US', {
      timeZone: 'America/Chicago',
      weekday: 'long',
    })
    await page.getByText(`waits for a late bill until ${name}`).waitFor()
    expect(await page.getByRole('button', { name: /^Mark the bill of/ }).count()).toBe(2)
    const ended = page.waitForRequest((one) => one.method() === 'DELETE')
    await page
      .getByRole('button', { name: /^Mark the bill of/ })
      .first()
      .click()
    await page.getByText('$90.00 no longer waits for it. It goes back to free to use').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click()
    expect((await ended).url()).toMatch(/\/grace$/)
    await page.getByText('no money waits for it any more').waitFor()
    await takePicture(page, 'web-late-bill')
    await pay(88_41)
    await page.getByText(/is left of the paid bill of .*, and stays until/).waitFor()
    await page.getByRole('button', { name: /^Release the rest of the bill of/ }).waitFor()
    await open(page, 'Home')
    await page.getByText('Every envelope is on its way.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })
})

test('an envelope behind says what it needs; below zero, first that pay is missing', async () => {
  const dave = await coffer.person()
  await dave.createBankAccount(100)
  await view({ url: coffer.baseUrl, cookie: dave.cookie }, async (page) => {
    await page.getByRole('heading', { name: 'Next payday' }).waitFor()
    await page.getByRole('heading', { name: 'Behind' }).waitFor({ state: 'detached' })
  })
  const erin = await coffer.person()
  const { fill } = await createWeek(erin, ';BYDAY=MO,TU,WE,TH,FR,SA,SU')
  await fill(100_00)
  await view({ url: `${coffer.baseUrl}/envelopes`, cookie: erin.cookie }, async (page) => {
    await page.getByText('of $180.00 until the payday (2 × $90.00)').waitFor()
    await takePicture(page, 'web-needed')
    await fill(1_000_00)
    await page.route(/api.overview/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const overview = await response.json()
      overview.paydays[0].lastRecurrence = new Date().toISOString()
      await route.fulfill({ response, json: overview })
    })
    await page.goto(coffer.baseUrl)
    await page.getByRole('button', { name: 'Why?', exact: true }).click()
    const sentences = page.getByRole('listitem')
    const missing = sentences.filter({ hasText: /^Today is payday, and no income of about/ })
    await missing.waitFor()
    const next = missing.locator('xpath=following-sibling::li[1]')
    expect(await next.textContent()).toContain('more than there is')
    await page.unrouteAll({ behavior: 'wait' })
  })
})

test('home names bills that are due today beside envelopes that are behind', async () => {
  const frank = await coffer.person()
  const { fill } = await createWeek(frank, ';BYDAY=MO,TU,WE,TH,FR,SA,SU')
  await fill(100_00)
  const now = new Date()
  const graceUntil = new Date(now.getTime() + 3 * 86_400_000).toISOString()
  const due = { lastRecurrence: now.toISOString(), graceUntil, graceAmount: 50_00 }
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: frank.cookie }, async (page) => {
    await page.route(/\/spending(\?.*)?$/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const spending = ((await response.json()) as object[]).map((one) => ({ ...one, ...due }))
      await route.fulfill({ response, json: spending })
    })
    await page.goto(coffer.baseUrl)
    await page.getByRole('heading', { name: 'Behind · Due today' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })
})

import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { startCuttingProxy } from '@coffer/test/harness/cutting-proxy.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { overflowOf, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Opens a dialog by the name of its button, fills it in by labels, and waits until it is gone. */
async function fillIn(page: Page, opener: string, values: Record<string, string>, save = 'Save') {
  await page.getByRole('button', { name: opener, exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(values)) {
    const field = dialog.getByLabel(label, { exact: true })
    const kind = await field.evaluate((one) => one.getAttribute('type') ?? one.tagName)
    if (kind === 'radio') await field.check()
    else await (kind === 'SELECT' ? field.selectOption({ label: value }) : field.fill(value))
  }
  await takePicture(page, `web-dialog-${opener.replaceAll(' ', '-')}`)
  await dialog.getByRole('button', { name: save }).click()
  await dialog.waitFor({ state: 'detached' })
}

const open = async (page: Page, place: string) => {
  await page.getByRole('link', { name: place, exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: place }).waitFor()
}

/** Selects a payment and a refund, tries to assign both, deletes them and undoes that. */
async function deleteBothAndUndo(page: Page) {
  const marked = page.getByRole('link', { name: 'Ms Landlord' })
  await marked.press('x')
  const box = page.getByLabel('Select Deposit back')
  await box.click()
  for (const key of ['j', 'k', 'x']) await page.keyboard.press(key)
  expect(await box.isChecked()).toBe(false)
  await page.keyboard.press('x')
  await page.getByLabel('Envelope', { exact: true }).selectOption('Rent')
  await page.getByRole('button', { name: 'Assign' }).click()
  await page.getByText('1 of 2 transactions changed.').waitFor()
  expect(await page.getByRole('alert').textContent()).toMatch(
    /^Not changed:Deposit back It came in/,
  )
  await takePicture(page, 'web-bulk')
  await page.setViewportSize({ width: 360, height: 900 })
  await takePicture(page, 'web-bulk-phone')
  expect(await overflowOf(page)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })
  await marked.press('x')
  await fillIn(page, 'Delete', {}, 'Delete')
  await page.getByText('2 transactions changed.').waitFor()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.click()
  await undo.waitFor({ state: 'detached' })
}

/** Tries to move more than is free to use. */
async function expectWarning(page: Page) {
  await page.getByRole('button', { name: 'Move money' }).click()
  await page.getByLabel('Amount').fill('1,000.01')
  await page.getByRole('button', { name: 'Move it' }).click()
  await page.getByText('Free to use would be $0.01 below zero').waitFor()
  await takePicture(page, 'web-move-warned')
  const anyway = page.getByRole('button', { name: 'Move it all the same' })
  await page.getByLabel('Amount').fill('10')
  expect(await anyway.count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
}

/** Reads the forecast by the keys of a slider. */
async function expectReading(page: Page) {
  const chart = page.getByRole('slider', { name: 'Free to use' })
  const read = async (key: string) => {
    await chart.press(key)
    return await chart.getAttribute('aria-valuetext')
  }
  const now = await read('Home')
  expect(now).toMatch(/: \$879\.50 · Rent \$120\.50$/)
  expect(await read('ArrowRight')).not.toBe(now)
  await page.getByRole('button', { name: /^Why\? Lowest/ }).click()
  await page.getByText('It does not fall below what it is now').waitFor()
  await takePicture(page, 'web-forecast-why')
}

test('a person plans a payday and an envelope, moves money, and pays from it', async () => {
  const alice = await coffer.person()
  const { path } = await alice.createBankAccount(100_000)
  await view({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    await open(page, 'Paydays')
    await fillIn(page, 'New payday', { Name: 'Salary', 'Expected pay': '1,800.00' })
    await open(page, 'Envelopes')
    const rent = { Name: 'Rent', 'Amount needed': '250.00' }
    await fillIn(page, 'New envelope', rent)
    const move = { To: 'Rent ($0.00)', Amount: '100+20.50' }
    await expectWarning(page)
    await fillIn(page, 'Move money', move, 'Move it')
    const moved = page.getByText('$120.50 moved from Free to use to Rent.')
    await moved.waitFor()
    await takePicture(page, 'web-moved')
    const rentCard = page.getByRole('listitem').filter({ hasText: 'Rent' })
    await rentCard.dragTo(page.getByRole('region', { name: 'Free to use' }))
    const source = page.getByRole('dialog').getByLabel('From')
    expect(await source.locator('option:checked').textContent()).toBe('Rent ($120.50)')
    await page.keyboard.press('Escape')
    await takePicture(page, 'web-cards')
    await page.getByRole('link', { name: 'Rent' }).click()
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    expect(await moved.count()).toBe(0)
    await page.getByRole('button', { name: 'It is not paid' }).click()
    await page.getByRole('button', { name: 'Skip this one' }).click()
    await page.getByText('Skipped:').waitFor()
    await takePicture(page, 'web-envelope-skipped')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Skipped:').waitFor({ state: 'detached' })
    await open(page, 'Forecast')
    await page.getByRole('checkbox', { name: 'Rent' }).check()
    await page.getByText('· Rent $').waitFor()
    await expectReading(page)
    await takePicture(page, 'web-forecast-lines')
    await open(page, 'Transactions')
    await page.getByRole('heading', { name: 'Transactions' }).press('n')
    await page.keyboard.press('Escape')
    await fillIn(page, 'Add', { Name: 'Landlord', Amount: '70', Note: 'half' })
    await page.getByLabel('Envelope for Landlord').selectOption('Rent')
    await expectTo(async () => (await alice.get(`${path}/balances`)).expenses === 5_050)
    await page.getByRole('link', { name: 'Landlord' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ms Landlord')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ms Landlord' }).waitFor()
    await takePicture(page, 'web-transaction')
    await page.getByLabel('Spent').fill('80')
    await page.getByRole('button', { name: 'Correct it' }).click()
    await page.getByText('$80.00 of it from the envelope').waitFor()
    await open(page, 'Transactions')
    const refund = {
      Received: '',
      Name: 'Deposit back',
      Amount: '90',
      'Refund of an envelope': 'Rent',
    }
    await fillIn(page, 'Add', refund)
    await page.getByText('Refund', { exact: true }).waitFor()
    await page.getByText(/free to use is lower|rest is free to use/).waitFor()
    await takePicture(page, 'web-hint')
    const before = await alice.get(`${path}/balances`)
    await deleteBothAndUndo(page)
    expect(await alice.get(`${path}/balances`)).toEqual(before)
    await page.getByRole('link', { name: 'Ms Landlord' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This transaction is deleted.').waitFor()
  })
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 109_000, free: 88_950 })
})

/** Waits until a condition of the server holds. */
async function expectTo(hold: () => Promise<boolean>): Promise<void> {
  while (!(await hold())) await new Promise((resolve) => setTimeout(resolve, 50))
}

test('weekly groceries are not behind after a purchase; a wage is missed', async () => {
  const dave = await coffer.person()
  const { bank } = await dave.createBankAccount(100_000)
  const { client } = dave
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const monthly = 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1'
  const wage = { name: 'Wage', ruleset: monthly, nextRecurrence: inDays(20) }
  const paid = { ...wage, estimatedDeposit: 180_000 }
  const { fundingScheduleId } = (await client.createFundingSchedule({ ...bank, body: paid })).data
  const weekly = 'DTSTART:20260102T060000Z\nRRULE:FREQ=WEEKLY'
  const plan = { name: 'Groceries', fundingScheduleId, targetAmount: 10_000, ruleset: weekly }
  const expense = { ...plan, spendingType: 'expense' } as const
  const { spendingId } = (await client.createSpending({ ...bank, body: expense })).data
  const path = { ...bank.path, spendingId }
  const { duesBeforeFunding } = (await client.explainSpending({ path })).data
  const all = { toSpendingId: spendingId, amount: duesBeforeFunding * 10_000 }
  await client.transferBetweenEnvelopes({ ...bank, body: all })
  const shop = { name: 'Shop', amount: 8_000, date: inDays(0), spendingId }
  const { spending } = (await client.createTransaction({ ...bank, body: shop })).data
  expect(spending?.isBehind).toBe(true)
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: dave.cookie }, async (page) => {
    await page.route(/api.overview/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const overview = await response.json()
      overview.paydays[0].lastRecurrence = inDays(-1)
      await route.fulfill({ response, json: overview })
    })
    await page.goto(coffer.baseUrl)
    await page.getByText('Every envelope is on its way.').waitFor()
    await page.getByText(/no income of about \$1,800\.00 has come in yet/).waitFor()
    await takePicture(page, 'web-home-no-wage')
    await open(page, 'Forecast')
    await page.getByText(/pay of about \$1,800\.00 of .* has not come in yet/).waitFor()
    const income = { name: 'Employer', amount: -179_000, date: inDays(0) }
    await client.createTransaction({ ...bank, body: income })
    await page.getByText('has not come in yet').waitFor({ state: 'detached' })
    await page.unrouteAll({ behavior: 'wait' })
    await page.goto(`${coffer.baseUrl}/envelopes/${spendingId}`)
    await page.getByText('is already spent from it').waitFor()
    expect(await page.getByText('It is behind').count()).toBe(0)
    await open(page, 'Envelopes')
    await page.getByText('Next payday puts in').waitFor()
    expect(await page.getByText('Behind', { exact: true }).count()).toBe(0)
    await client.createTransaction({ ...bank, body: { ...shop, name: 'Market', amount: 5_000 } })
    await page.getByText('Behind', { exact: true }).waitFor()
  })
})

test('payments older than the first envelope are left free to use, or any other', async () => {
  const erin = await coffer.person()
  const { bank, path } = await createHousehold(erin)
  const { client } = erin
  for (const [name, days] of [
    ['Rent of May', 40],
    ['Shop of June', 10],
  ] as const) {
    const date = new Date(Date.now() - days * 86_400_000).toISOString()
    await client.createTransaction({ ...bank, body: { name, amount: 5_000, date } })
  }
  await view({ url: coffer.baseUrl, cookie: erin.cookie }, async (page) => {
    const select = (name: string) => page.getByLabel(`Envelope for ${name}`)
    const undo = async () => {
      const button = page.getByRole('button', { name: 'Undo' })
      await button.click()
      await button.waitFor({ state: 'detached' })
    }
    await select('Rent of May').selectOption('Groceries')
    await page.getByText(/The payment is older than the envelope/).waitFor()
    await takePicture(page, 'web-home-older')
    await undo()
    await page.getByRole('link', { name: 'Rent of May' }).click()
    await page.getByLabel('Envelope', { exact: true }).selectOption('Groceries')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/The payment is older than the envelope/).waitFor()
    await undo()
    await open(page, 'Home')
    await select('Rent of May').waitFor()
    await page.getByRole('button', { name: 'Leave those free to use' }).click()
    await page.getByText('2 transactions changed.').waitFor()
    await select('Rent of May').waitFor({ state: 'detached' })
    await select('<b>Corner</b> shop').selectOption('Leave it free to use')
    await page.getByText('No payment waits for an envelope.').waitFor()
    await undo()
    await page.getByText('Corner').first().press('0')
    await page.getByText('No payment waits for an envelope.').waitFor()
  })
  expect(await erin.get(`${path}/balances`)).toMatchObject({ expenses: 12_000 })
})

test('of 2,000 transactions the last shows after scrolling; filters are in the URL', async () => {
  const bob = await coffer.person()
  const { bank } = await bob.createBankAccount()
  for (let page = 0; page < 4; page += 1) {
    const transactions = Array.from({ length: 500 }, (_, at) => {
      const day = new Date(Date.UTC(2026, 0, 1) + (page * 500 + at) * 8_640_000).toISOString()
      return { name: `Payment ${page * 500 + at}`, amount: 100 + at, date: day }
    })
    await bob.client.createTransactions({ ...bank, body: { transactions } })
  }
  await view({ url: `${coffer.baseUrl}/transactions`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('link', { name: 'Payment 1999' }).waitFor()
    expect(await page.getByRole('link', { name: /^Payment/ }).count()).toBeLessThan(60)
    const last = page.getByRole('link', { name: 'Payment 0', exact: true })
    while (!(await last.isVisible())) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await page.waitForTimeout(20)
    }
    await page.getByLabel('Search').fill('payment 1234')
    await page.waitForURL(/search=payment/)
    await page.getByRole('link', { name: 'Payment 1234' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Payment 1234' }).waitFor()
    expect(await page.getByRole('link', { name: /^Payment/ }).count()).toBe(1)
  })
})

test('a restart of the server loses no entry, and books it once', async () => {
  const carol = await coffer.person()
  const { bank } = await carol.createBankAccount(100_000)
  const running = await startCuttingProxy(coffer.baseUrl)
  const viewing = { url: `${running.url}/transactions`, cookie: carol.cookie, hasOutage: true }
  await view(viewing, async (page) => {
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Bakery')
    await dialog.getByLabel('Amount').fill('3.50')
    await running[Symbol.asyncDispose]()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('The server cannot be reached.').waitFor()
    await using _ = await startCuttingProxy(coffer.baseUrl, Number(new URL(running.url).port))
    await page.getByRole('link', { name: 'Bakery' }).waitFor()
    await page.getByText('The server cannot be reached.').first().waitFor({ state: 'detached' })
  })
  expect((await carol.client.listTransactions(bank)).data).toHaveLength(1)
})

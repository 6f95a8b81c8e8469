import { readFile } from 'node:fs/promises'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, overflowOf, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { view, viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

test('paydays show what each envelope gets, and the forecast is saved and printed', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const viewing = { url: `${coffer.baseUrl}/schedules`, cookie: alice.cookie }
  await viewBypassed(viewing, async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'Groceries' })
    await row.getByText('$').waitFor()
    const amount = await row.locator('span').last().textContent()
    await page.getByText(`Puts into envelopes: ${amount}`).waitFor()
    await takePicture(page, 'web-schedules-full')
    expect(await axeFaults(page)).toEqual([])
    await page.goto(coffer.baseUrl)
    await page.getByText(`fills one envelope with ${amount}`).waitFor()
    await page.goto(`${coffer.baseUrl}/forecast`)
    await page.getByRole('button', { name: /^Why\? Lowest/ }).click()
    await page.getByText('That leaves $600.00.').waitFor()
    const reasons = page.locator(`ul:has(> li:text("free to use."))`).getByRole('listitem')
    expect(await reasons.allTextContents()).toEqual([
      'Now $880.00 is free to use.',
      '$280.00 pays the part of bills that envelopes do not hold.',
      'That leaves $600.00.',
    ])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'As a CSV file' }).click()
    const file = await readFile(await (await saved).path(), 'utf8')
    const [header, first = ''] = file.split('\r\n')
    expect(header).toMatch(/^\ufeffDay,Pay,Into envelopes,.*,Groceries$/)
    expect(first.slice(10)).toBe(',0.00,0.00,0.00,880.00,120.00')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false)
    await takePicture(page, 'web-forecast-print')
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await overflowOf(page)).toBe(0)
    await takePicture(page, 'web-forecast-phone')
  })
})

test('a connection is renamed, and a payment shows the icon of its brand', async () => {
  const bob = await coffer.person()
  const { bank } = await bob.createBankAccount(100_000)
  const payment = { name: 'Spotify AB', amount: 1_099, date: new Date().toISOString() }
  const { data } = await bob.client.createTransaction({ ...bank, body: payment })
  const { transactionId } = data.transaction
  const viewing = { url: `${coffer.baseUrl}/accounts`, cookie: bob.cookie }
  await viewBypassed(viewing, async (page) => {
    await page.getByRole('button', { name: 'Edit' }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Village bank')
    await dialog.getByLabel('Note').fill('shared with Carol')
    await takePicture(page, 'web-link-edit')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Village bank' }).waitFor()
    await page.getByText('shared with Carol').waitFor()
    await page.goto(`${coffer.baseUrl}/transactions/${transactionId}`)
    await page.locator('img[src^="data:image/svg"]').waitFor()
    // Without motion, colours do not change step by step.
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await takePicture(page, 'web-transaction-icon')
    expect(await axeFaults(page)).toEqual([])
  })
})

/** Types an amount and a day into the form of an envelope: its figure follows while it is typed. */
async function expectPreview(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText('An amount may be a sum, such as 12.50+3.').waitFor()
  await dialog.getByLabel('Amount needed').fill('300')
  const preview = dialog.getByText(/^The next payday puts/)
  const former = await preview.textContent()
  const day = dialog.getByLabel('Needed on', { exact: true })
  await day.fill('+360')
  await preview.filter({ hasNotText: former ?? '' }).waitFor()
  expect(await day.inputValue()).toBe('+360')
}

/** Expects a question before what was typed into a dialog is lost, whatever the way out of it. */
async function expectNothingLost(page: Page): Promise<void> {
  const form = page.getByRole('dialog', { name: 'New envelope' })
  const question = page.getByRole('dialog', { name: 'Discard your entries?' })
  const amount = form.getByLabel('Amount needed')
  const ways = [
    () => amount.press('Escape'),
    () => form.getByRole('button', { name: 'Cancel' }).click(),
    () => page.mouse.click(5, 5),
    () => page.evaluate('history.back()'),
  ]
  for (const leave of ways) {
    await leave()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await amount.inputValue()).toBe('300')
  }
  await page.waitForURL(/envelopes/)
  await amount.press('Escape')
  await question.waitFor()
  await takePicture(page, 'web-discard')
  expect(await axeFaults(page)).toEqual([])
  await question.getByRole('button', { name: 'Discard' }).click()
}

test('a bill that is moved to another day of the month stays there', async () => {
  const dave = await coffer.person()
  const { bank, spendingId } = await createHousehold(dave)
  const url = `${coffer.baseUrl}/envelopes/${spendingId}`
  await view({ url, cookie: dave.cookie }, async (page) => {
    await page.getByRole('button', { name: 'Edit' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Needed on', { exact: true }).fill('2040-01-12')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
  })
  const path = { ...bank.path, spendingId }
  const { data } = await dave.client.getSpending({ path })
  expect(data.ruleset).toContain('BYMONTHDAY=12')
  expect(data.nextRecurrence).toBe('2040-01-12T06:00:00Z')
})

test('the palette opens forms, and days and amounts are typed as people say them', async () => {
  const carol = await coffer.person()
  const { bank } = await createHousehold(carol)
  const viewing = { url: `${coffer.baseUrl}/tags`, cookie: carol.cookie }
  await viewBypassed(viewing, async (page) => {
    const choose = async (text: string, entry: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find or go to' }).fill(text)
      await page.getByRole('option', { name: entry }).first().waitFor()
      await page.keyboard.press('Enter')
    }
    const dialog = page.getByRole('dialog')
    const gone = () => dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await choose('new pay', 'New payday Action')
    await dialog.getByLabel('Name').fill('Bonus')
    const next = dialog.getByLabel('Next payday', { exact: true })
    await next.fill('the ides')
    await next.press('Tab')
    await dialog.getByText('Enter a day, such as').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await next.fill('last day')
    const read = await dialog.locator('[role=status]').textContent()
    const [day = ''] = /^.*? (28|29|30|31)/.exec(read ?? '') ?? []
    expect(day).not.toBe('')
    // They come when the typing pauses, and move the button.
    await dialog.getByText('The next ten:').waitFor()
    await takePicture(page, 'web-day-typed')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await gone()
    await page.getByRole('heading', { name: 'Bonus' }).waitFor()
    await page.getByText(new RegExp(`^${day}, `)).waitFor()
    await choose('move', 'Move money Action')
    await dialog.getByLabel('Amount').fill('(10+5)*2')
    await dialog.getByRole('status').getByText('= $30.00').waitFor()
    await dialog.getByLabel('To').selectOption('Groceries ($120.00)')
    await dialog.getByRole('button', { name: 'Move it' }).click()
    await page.getByText('$30.00 moved').waitFor()
    await choose('new env', 'New envelope Action')
    await expectPreview(page)
    await expectNothingLost(page)
    await gone()
    await choose('dark', 'Colours: Dark Action')
    await page.locator('html[data-theme=dark]').waitFor()
    await choose('hide', 'Hide amounts Action')
    await page.getByText('hidden').first().waitFor({ state: 'attached' })
    await page.getByText('$30.00 moved').waitFor({ state: 'detached' })
    await takePicture(page, 'web-palette-dark')
    await choose('move', 'Move money Action')
    const places = dialog.getByLabel('To')
    await places.getByText('Groceries (hidden)').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await gone()
    await choose('new tr', 'New transaction Action')
    await dialog.getByLabel('Name').fill('Dinner')
    await dialog.getByLabel('Amount').fill('-12.50/2')
    await dialog.getByLabel('Day', { exact: true }).fill('yesterday')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Dinner' }).waitFor()
    const { data } = await carol.client.listTransactions({ ...bank, query: { search: 'Dinner' } })
    expect(data[0]?.amount).toBe(625)
    await page.getByRole('link', { name: 'Dinner' }).click()
    await page.locator('input[value=hidden]').waitFor()
    await choose('tax', 'tax 2026 Tag')
    await page.waitForURL(/tag=/)
  })
})

test('a session that ends elsewhere is noticed, and nothing typed is lost', async () => {
  const dave = await coffer.person()
  await createHousehold(dave)
  const viewing = { url: `${coffer.baseUrl}/transactions`, cookie: dave.cookie, hasRefusals: true }
  await viewBypassed(viewing, async (page) => {
    await page.getByRole('button', { name: 'Add' }).click()
    const form = page.getByRole('dialog', { name: 'Add a transaction' })
    await form.getByLabel('Name').fill('Bookshop')
    await form.getByLabel('Amount').fill('20+5')
    await dave.session.signOut()
    await form.getByRole('button', { name: 'Save' }).click()
    const over = page.getByRole('dialog', { name: 'You were signed out' })
    await over.waitFor()
    await takePicture(page, 'web-session-ended')
    expect(await axeFaults(page)).toEqual([])
    const password = over.getByLabel('Password', { exact: true })
    // It has the focus.
    await page.keyboard.type('not the password')
    expect(await password.inputValue()).toBe('not the password')
    await page.keyboard.press('Enter')
    await over.getByRole('alert').waitFor()
    await password.fill(dave.password)
    await over.getByRole('button', { name: 'Sign in', exact: true }).click()
    await over.waitFor({ state: 'detached' })
    expect(await form.getByLabel('Amount').inputValue()).toBe('20+5')
    await form.getByRole('alert').waitFor({ state: 'detached' })
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Bookshop' }).waitFor()
  })
})

test('another person in another tab never mixes with this one', async () => {
  const [erin, frank] = [await coffer.person(), await coffer.person()]
  await createHousehold(erin)
  await frank.createBankAccount(7_700)
  await viewBypassed(
    { url: coffer.baseUrl, cookie: erin.cookie, hasRefusals: true },
    async (page) => {
      await page.getByText('Corner').waitFor()
      const tab = await page.context().newPage()
      await tab.goto(`${coffer.baseUrl}/login`)
      await tab.getByLabel('Email address').fill(frank.email)
      await tab.getByLabel('Password', { exact: true }).fill(frank.password)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('$77.00').first().waitFor()
      await page.getByText('Corner').waitFor({ state: 'detached' })
    },
  )
})

/** Adds a payment; refused amounts are typed before the accepted one. */
async function pay(page: Page, name: string, amounts: string[]): Promise<void> {
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  for (const [index, amount] of amounts.entries()) {
    if (index > 0) await dialog.getByText(/^This cannot be read/).waitFor()
    await dialog.getByLabel('Amount').fill(amount)
    await dialog.getByRole('button', { name: 'Save' }).click()
  }
  await dialog.waitFor({ state: 'detached' })
}

test('yen have no decimals and dinars three, typed and shown', async () => {
  const alice = await coffer.person()
  await view({ url: `${coffer.baseUrl}/setup`, cookie: alice.cookie }, async (page) => {
    await page.getByLabel('Bank', { exact: true }).fill('Tokyo')
    await page.getByLabel('Currency').selectOption('JPY')
    await page.getByLabel('Money in it now').fill('12,500')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('link', { name: 'Later' }).click()
    await page.getByText('¥12,500').first().waitFor()
    await page.getByRole('link', { name: 'Transactions' }).click()
    await pay(page, 'Ramen', ['980.50', '980+20'])
    await page.getByText('−1,000', { exact: true }).waitFor()
    const [yen] = await alice.get('/bank_accounts')
    const manama = { linkId: yen.linkId, name: 'Manama', currency: 'BHD' }
    const held = { availableBalance: 12_345_678, currentBalance: 12_345_678 }
    await alice.post('/bank_accounts', { ...manama, ...held })
    await page.goto(coffer.baseUrl)
    const accounts = page.getByLabel('Bank account')
    await accounts.getByText('Manama').waitFor({ state: 'attached' })
    await accounts.selectOption('Manama')
    await page.getByText('BHD\u00a012,345.678').first().waitFor()
    await page.getByRole('link', { name: 'Transactions' }).click()
    await pay(page, 'Coffee', ['1.2345', '1.25'])
    await page.getByText('−1.250', { exact: true }).waitFor()
    await takePicture(page, 'web-dinars')
    expect(await sums(alice)).toEqual([11_500, 12_344_428])
  })
})

/** Returns the available money of each bank account, in minor units. */
async function sums({ client }: Awaited<ReturnType<typeof coffer.person>>): Promise<number[]> {
  const { data } = await client.getOverview()
  return data.bankAccounts.map(({ balance }) => balance.available)
}

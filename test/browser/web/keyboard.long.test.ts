import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { viewBypassed, view } = useBrowser()

const coffer = started(() => startCoffer())

/**
 * Returns the paths of the API that the page has asked for, in order; without the forecast, which
 * depends on the day: home asks for it where an envelope may be behind.
 */
async function askedPaths(page: Page): Promise<string[]> {
  const urls = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name)",
  )
  const paths = urls.map((url) => new URL(url).pathname.replace(/bac_\w+/, '…'))
  return [...new Set(paths.filter((path) => /^.api.(?!.*.forecast$)/.test(path)))].sort()
}

test('the keyboard alone goes to screens, assigns, finds and adds', async () => {
  const alice = await coffer.person()
  const { path, bank } = await createHousehold(alice)
  // Newer deposits, more than a page of the list has, need no envelope.
  const deposits = Array.from({ length: 30 }, () => ({
    name: 'Salary',
    amount: -100,
    date: new Date().toISOString(),
  }))
  await alice.client.createTransactions({ ...bank, body: { transactions: deposits } })
  await viewBypassed({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    const { keyboard } = page
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
    const press = async (keys: string) => {
      for (const key of keys.split(' ')) await keyboard.press(key)
    }
    await page.getByText('Corner').waitFor()
    expect(await page.getByText('Salary').count()).toBe(0)
    expect(await askedPaths(page)).toEqual([
      '/api/bank_accounts/…/spending',
      '/api/bank_accounts/…/transactions',
      '/api/overview',
      '/api/users/me',
    ])
    await takePicture(page, 'web-home-keys')
    await press('1')
    await page.getByText('from Groceries').waitFor()
    expect((await alice.get(`${path}/balances`)).expenses).toBe(9_650)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('from Groceries').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Why?', exact: true }).press('Enter')
    const changes = page.getByRole('region', { name: 'The last changes of free to use' })
    await changes.getByText('Groceries: Moved by hand').waitFor()
    await changes.getByRole('link', { name: 'All changes' }).press('Enter')
    await page.getByText('Available: At the start').waitFor()
    await press('g t')
    await heading('Transactions').waitFor()
    await page.getByRole('link', { name: 'Salary' }).first().waitFor()
    await page.goto(`${coffer.baseUrl}/transactions?flow=out`)
    await page.getByRole('link', { name: 'Corner' }).waitFor()
    expect(await page.getByRole('link', { name: 'Salary' }).count()).toBe(0)
    await press('j Enter')
    await heading('Transaction').waitFor()
    const returns = page.getByLabel('Give its amount back to the balance')
    await page.getByText('It has not moved the balance.').waitFor()
    expect(await returns.isChecked()).toBe(false)
    await press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await takePicture(page, 'web-keys')
    expect(await axeFaults(page)).toEqual([])
    await press('Escape Control+k')
    await page.getByRole('combobox', { name: 'Find or go to' }).waitFor()
    await keyboard.type('co')
    await page.getByRole('option', { name: /Corner/ }).waitFor()
    await takePicture(page, 'web-palette')
    expect(await axeFaults(page)).toEqual([])
    await keyboard.press('Control+a')
    await keyboard.type('groc')
    await page.getByRole('option', { name: 'Groceries Envelope' }).waitFor()
    await press('Enter')
    await heading('Groceries').waitFor()
    await press('n')
    await page.getByRole('dialog').getByLabel('Name').focus()
    await keyboard.type('Bakery')
    await press('Tab')
    await keyboard.type('3.50')
    await press('Enter')
    await page.getByRole('link', { name: 'Bakery' }).waitFor()
  })
})

test('a search for an amount finds it, whichever way the money goes', async () => {
  const alice = await coffer.person()
  const { bank } = await createHousehold(alice)
  const date = new Date().toISOString()
  const refund = { name: 'Refund', amount: -2_350, date }
  await alice.client.createTransaction({ ...bank, body: refund })
  await alice.client.createTransaction({ ...bank, body: { ...refund, name: 'Wage', amount: -100 } })
  const viewing = { url: `${coffer.baseUrl}/transactions`, cookie: alice.cookie }
  await viewBypassed(viewing, async (page) => {
    await page.getByRole('link', { name: 'Wage' }).waitFor()
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('1')
    await page.getByRole('link', { name: 'Wage' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search for the amount 1.00 instead' }).click()
    await page.getByRole('link', { name: 'Wage' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('link', { name: 'Refund' }).waitFor()
    expect(await search.inputValue()).toBe('')
    await search.fill('23.50')
    await page.getByRole('link', { name: 'Wage' }).waitFor({ state: 'detached' })
    for (const name of ['Corner', 'Refund']) await page.getByRole('link', { name }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Refund' }).waitFor()
    await takePicture(page, 'web-search-amount')
    await page.keyboard.press('Control+k')
    const find = page.getByRole('combobox', { name: 'Find or go to' })
    await find.fill('1')
    await page.getByRole('option', { name: 'Search for the amount 1.00 instead' }).click()
    await page.getByRole('option', { name: /Wage.*1\.00/ }).waitFor()
    await find.fill('23,50')
    await page.getByRole('option', { name: /Corner.*23\.50/ }).waitFor()
    await page.getByRole('option', { name: /Refund.*23\.50/ }).waitFor()
  })
})

test('j goes on from the marked payment, and a deletion is undone from its note', async () => {
  const alice = await coffer.person()
  const { bank } = await createHousehold(alice)
  const body = { amount: 500, date: new Date().toISOString() }
  for (const name of ['Kiosk', 'Cinema']) {
    await alice.client.createTransaction({ ...bank, body: { ...body, name } })
  }
  await viewBypassed({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    const marked = page.locator('[data-marked]')
    await marked.getByText('Cinema').waitFor()
    await page.keyboard.press('j')
    await marked.getByText('Kiosk').waitFor()
    await marked.getByRole('link', { name: 'Kiosk' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Kiosk: deleted.').waitFor()
    await takePicture(page, 'web-deleted-note')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  })
})

test('tags are added to one and to many, filtered, merged and removed', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount(100_000)
  const date = new Date().toISOString()
  for (const name of ['Bakery', 'Butcher', 'Ferry']) {
    await alice.client.createTransaction({ ...bank, body: { name, amount: 500, date } })
  }
  const tagsNow = async () =>
    (await alice.client.listTags()).data.tags.map(({ name, count }) => `${name} ${count}`)
  await viewBypassed({ url: `${coffer.baseUrl}/tags`, cookie: alice.cookie }, async (page) => {
    await page.getByText('No tags yet.').waitFor()
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    for (const name of ['Bakery', 'Butcher']) await page.getByRole('link', { name }).press('x')
    const bar = page.getByRole('region', { name: 'Selected transactions' })
    await bar.getByLabel('Tag', { exact: true }).fill('Food, daily')
    await bar.getByRole('button', { name: 'Add tag' }).click()
    await page.getByText('2 transactions changed.').waitFor()
    expect(await tagsNow()).toEqual(['Food 2', 'daily 2'])
    await page.getByRole('link', { name: 'Ferry' }).click()
    const field = page.getByLabel('Tags', { exact: true })
    for (const tag of ['Trip', 'food', 'trip']) {
      await field.fill(tag)
      await field.press('Enter')
    }
    await takePicture(page, 'web-tags-edit')
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(tagsNow, (now) => now.includes('Food 3'))
    await page.reload()
    await page.getByRole('button', { name: 'Remove food' }).click()
    await field.press('Enter')
    await eventually(tagsNow, (now) => now.includes('Food 2'))
    await page.getByRole('link', { name: 'All transactions' }).click()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Tag', { exact: true }).selectOption('Trip')
    await page.getByRole('link', { name: 'Bakery' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Ferry' }).waitFor()
    await takePicture(page, 'web-tags-filter')
    await page.getByRole('link', { name: 'Tags' }).first().click()
    await page.getByLabel('Select Food').check()
    await page.getByLabel('Select daily').check()
    await takePicture(page, 'web-tags-list')
    await page.getByRole('button', { name: 'Merge 2 tags' }).click()
    await page.getByRole('dialog').getByLabel('New name').fill('Groceries')
    await takePicture(page, 'web-tags-merge')
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Merge 2 tags' }).click()
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
    expect(await tagsNow()).toEqual(['Groceries 2', 'Trip 1'])
    await page.getByRole('button', { name: 'Remove Trip' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('link', { name: 'Trip' }).waitFor({ state: 'detached' })
    expect(await tagsNow()).toEqual(['Groceries 2'])
  })
})

test('a payment by hand is left free to use, booked, and moved to an envelope', async () => {
  const alice = await coffer.person()
  const { bank } = await createHousehold(alice)
  const sumsOf = async () => {
    const [account] = (await alice.client.listBankAccounts()).data ?? []
    return [account?.currentBalance, account?.availableBalance]
  }
  await viewBypassed(
    { url: `${coffer.baseUrl}/transactions`, cookie: alice.cookie },
    async (page) => {
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Name').fill('Kiosk')
      await form.getByLabel('Amount').fill('5')
      await form.getByLabel('Envelope').selectOption('Free to use')
      await form.getByLabel('Still pending').check()
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: 'Kiosk' }).click()
      expect(await sumsOf()).toEqual([100_000, 99_500])
      const query = { spendingId: 'undecided', search: 'Kiosk' } as const
      expect((await alice.client.listTransactions({ ...bank, query })).data).toEqual([])
      await page.getByText('Pending', { exact: true }).waitFor()
      const booked = page.getByRole('button', { name: 'Mark as posted' })
      await booked.click()
      await booked.waitFor({ state: 'detached' })
      expect(await sumsOf()).toEqual([99_500, 99_500])
      await page.getByRole('link', { name: 'All transactions' }).click()
      const envelope = page.getByLabel('Envelope for Kiosk')
      await envelope.selectOption('Groceries')
      await page.getByText('Kiosk: from Groceries.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await eventually(
        () => envelope.locator('option:checked').textContent(),
        (text) => text === 'Free to use',
      )
    },
  )
})

test('pending payments are booked at once, with the posted balance, and undone', async () => {
  const eve = await coffer.person()
  const { bank } = await createHousehold(eve)
  const sumsOf = async () => {
    const [account] = (await eve.client.listBankAccounts()).data ?? []
    return [account?.currentBalance, account?.availableBalance].join()
  }
  const kiosk = { amount: 500, date: new Date().toISOString(), adjustsBalance: true }
  for (const name of ['Kiosk', 'Cinema', 'Museum']) {
    const body = { ...kiosk, name, isPending: name !== 'Museum' }
    await eve.client.createTransaction({ ...bank, body })
  }
  await view({ url: `${coffer.baseUrl}/transactions`, cookie: eve.cookie }, async (page) => {
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByLabel('Select Museum').check()
    expect(await page.getByRole('button', { name: /as posted/ }).count()).toBe(0)
    for (const name of ['Kiosk', 'Cinema']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('button', { name: 'Mark 2 as posted' }).click()
    await page.getByText('2 transactions changed.').waitFor()
    expect(await sumsOf()).toBe('98500,98500')
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(sumsOf, (sums) => sums === '99500,98500')
  })
})

test('a waiting payment is left free to use in its row, or in its form', async () => {
  const bea = await coffer.person()
  const { bank } = await createHousehold(bea)
  const query = { spendingId: 'undecided', amount_from: 1 } as const
  const waiting = async () => (await bea.client.listTransactions({ ...bank, query })).data.length
  await view({ url: `${coffer.baseUrl}/transactions`, cookie: bea.cookie }, async (page) => {
    const select = page.getByLabel('Envelope for <b>Corner</b> shop')
    const said = () => select.locator('option:checked').textContent()
    expect(await said()).toBe('Waiting for an envelope')
    await select.selectOption('Leave it free to use')
    await page.getByText(/stays without an envelope/).waitFor()
    expect(await waiting()).toBe(0)
    await eventually(said, (text) => text === 'Free to use')
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(waiting, (count) => count === 1)
    await page.getByRole('link', { name: '<b>Corner</b> shop' }).click()
    const form = page.getByRole('region', { name: 'Edit', exact: true })
    await form.getByLabel('Envelope').selectOption('Free to use')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/stays without an envelope/).waitFor()
    expect(await waiting()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.goto(`${coffer.baseUrl}/`)
    await page.getByRole('link', { name: 'Show it among the transactions' }).click()
    await select.waitFor()
    const filter = page.getByLabel('Envelope', { exact: true })
    expect(await filter.locator('option:checked').textContent()).toBe('Waiting for an envelope')
  })
})

import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { view, viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

test('a change far down a long list reads the pages in view again, and no others', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount()
  // Newest first: Shop 700 is the first line.
  const shop = (at: number) => ({
    name: `Shop ${at}`,
    amount: 100,
    date: new Date(Date.UTC(2026, 0, 1, 12) + Math.floor(at / 10) * 86_400_000).toISOString(),
  })
  for (const first of [1, 351]) {
    const transactions = Array.from({ length: 350 }, (_, at) => shop(first + at))
    await alice.client.createTransactions({ ...bank, body: { transactions } })
  }
  const url = `${coffer.baseUrl}/transactions`
  await view({ url, cookie: alice.cookie }, async (page) => {
    const asked = new Set<string>()
    await page
      .getByRole('link', { name: /^Shop 70\d$|^Shop 700$/ })
      .first()
      .waitFor()
    const end = page.getByText('That is all.')
    while (!(await end.isVisible())) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    }
    await page.getByRole('link', { name: 'Shop 5', exact: true }).waitFor()
    page.on('request', (request) => {
      if (/\/transactions\?/.test(request.url())) asked.add(request.url())
    })
    await page.getByRole('button', { name: 'Change name and note of Shop 5' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Market')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Market', exact: true }).waitFor()
    expect([...asked].filter((one) => !one.includes('after='))).toEqual([])
    expect(asked.size).toBeLessThanOrEqual(3)
    // Old pages are read again when they come into view.
    await alice.client.createTransaction({ ...bank, body: { ...shop(701), name: 'Newest' } })
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('link', { name: 'Newest', exact: true }).waitFor()
  })
})

/** Names of days that are in view below the bar of a selection, and in the bar too. */
const findTwice = `(async () => {
  const twice = []
  for (let top = 0; top < 1200; top += 4) {
    scrollTo(0, top)
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
    const line = document.querySelector('[data-on] > p[aria-hidden]')
    const { bottom } = line.getBoundingClientRect()
    for (const heading of document.querySelectorAll('main h2')) {
      const text = document.createRange()
      text.selectNodeContents(heading.firstChild)
      const isInView = text.getBoundingClientRect().bottom > bottom + 2
      const day = heading.firstChild.data
      if (isInView && day === line.textContent) twice.push([top, day])
    }
  }
  return twice
})()`

test('while transactions are selected, the name of a day is in view once', async () => {
  const bob = await coffer.person()
  const { bank } = await bob.createBankAccount()
  const transactions = Array.from({ length: 40 }, (_, at) => ({
    name: `Shop ${at}`,
    amount: 100,
    date: `2026-01-${10 + Math.floor(at / 3)}T12:00:00Z`,
  }))
  await bob.client.createTransactions({ ...bank, body: { transactions } })
  const url = `${coffer.baseUrl}/transactions`
  await view({ url, cookie: bob.cookie, isPhone: true }, async (page) => {
    const rowOf = async (name: string) => {
      const { y = 0 } = (await page.getByRole('button', { name }).first().boundingBox()) ?? {}
      return Math.round(y)
    }
    await page.getByRole('button', { name: 'Select', exact: true }).waitFor()
    const [top, ...others] = await Promise.all(['Filters', 'Select', 'Download'].map(rowOf))
    expect(others).toEqual([top, top])
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    const box = page.getByLabel('Select Shop 39')
    await box.check()
    const { width, height } = (await page.locator('label', { has: box }).boundingBox()) ?? {}
    expect([width, height]).toEqual([44, 44])
    expect(await page.evaluate(findTwice)).toEqual([])
  })
})

test('deletion and correction leave a balance as it is that was stated since', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount(10_000)
  const coffee = { name: 'Coffee', amount: 500, date: new Date().toISOString() }
  const body = { ...coffee, adjustsBalance: true }
  const { transaction } = (await alice.client.createTransaction({ ...bank, body })).data
  const url = `${coffer.baseUrl}/transactions/${transaction.transactionId}`
  await view({ url, cookie: alice.cookie }, async (page) => {
    const returns = page.getByLabel('Give its amount back to the balance')
    await page.getByText('It has moved the balance.').waitFor()
    const moves = page.getByLabel('Move the balance by the difference')
    expect([await returns.isChecked(), await moves.isChecked()]).toEqual([true, true])
    await alice.client.updateBankAccount({ ...bank, body: { currentBalance: 9_400 } })
    await page.reload()
    await page.getByText('A file or a person has stated the balance since.').first().waitFor()
    expect([await returns.isChecked(), await moves.isChecked()]).toEqual([false, false])
    const balance = async () => (await alice.client.getBalances(bank)).data
    const stated = await balance()
    await page.getByLabel('Spent').fill('15.00')
    await page.getByRole('button', { name: 'Correct it' }).click()
    await page.getByRole('status').filter({ hasText: 'Coffee: saved.' }).waitFor()
    const { data } = await alice.client.getTransaction({ path: transaction })
    expect([data.amount, await balance()]).toEqual([1_500, stated])
  })
})

test('after a day was typed the next click counts; a correction is undone', async () => {
  const carol = await coffer.person()
  const { transactionId } = await createHousehold(carol)
  const url = `${coffer.baseUrl}/transactions/${transactionId}`
  await view({ url, cookie: carol.cookie }, async (page) => {
    const day = page.getByLabel('Day', { exact: true })
    const former = await day.inputValue()
    await day.fill('+18')
    await page.getByText(/, in 18 days: the money counts from now on/).waitFor()
    const correct = page.getByRole('button', { name: 'Correct it' })
    const { height = 0 } = (await correct.boundingBox()) ?? {}
    await correct.click({ position: { x: 5, y: height - 3 } })
    const note = page.getByRole('status').filter({ hasText: 'shop: saved.' })
    await note.getByRole('button', { name: 'Undo' }).click()
    await page.locator(`main input[value="${former}"]`).waitFor()
    await page.getByLabel('Spent').fill('1.050')
    await correct.click()
    await page.getByText('This cannot be read as an amount.').waitFor()
  })
})

/** Returns the texts in the fields of a page. */
async function fieldsOf(page: Page): Promise<string[]> {
  const inputs = await page.locator('main input:visible, [role=dialog] input:visible').all()
  return await Promise.all(inputs.map((one) => one.inputValue()))
}

test('hidden amounts are hidden in forms too, until their field has the focus', async () => {
  const bob = await coffer.person()
  const { bank, spendingId, transactionId } = await createHousehold(bob)
  const open = { url: `${coffer.baseUrl}/accounts`, cookie: bob.cookie }
  await view(open, async (page) => {
    const dialog = page.getByRole('dialog')
    const save = async () => {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Hide amounts' }).click()
    for (const [path, label] of [
      ['/accounts', 'Posted balance'],
      [`/envelopes/${spendingId}`, 'Amount needed'],
      ['/schedules', 'Expected pay'],
      [`/transactions/${transactionId}`, 'Spent'],
    ] as const) {
      await page.goto(`${coffer.baseUrl}${path}`)
      const edit = page.getByRole('button', { name: /^Edit( Checking| Payday)?$/ })
      if (label !== 'Spent') await edit.click()
      const field = page.getByLabel(label, { exact: true })
      await field.and(page.locator('[value=hidden]')).waitFor()
      await takePicture(page, `web-hidden-${label}`)
      expect((await fieldsOf(page)).filter((text) => /\d\.\d\d/.test(text))).toEqual([])
      // Saved as it is, it stays.
      if (label !== 'Spent') await save()
    }
    const { data: kept } = await bob.client.getSpending({ path: { ...bank.path, spendingId } })
    expect(kept.targetAmount).toBe(40_000)
    const [schedule] = (await bob.client.listFundingSchedules(bank)).data ?? []
    expect(schedule?.estimatedDeposit).toBe(180_000)
    const spent = page.getByLabel('Spent')
    await spent.focus()
    expect(await spent.inputValue()).toBe('23.50')
    await spent.fill('24')
    await page.getByRole('button', { name: 'Correct it' }).click()
    await page.getByText('saved.').waitFor()
    const { data } = await bob.client.getTransaction({ path: { ...bank.path, transactionId } })
    expect(data.amount).toBe(2_400)
  })
})

test('a payday and an envelope create their transactions if the form says so', async () => {
  const carol = await coffer.person()
  const { bank, spendingId } = await createHousehold(carol)
  await viewBypassed({ url: `${coffer.baseUrl}/schedules`, cookie: carol.cookie }, async (page) => {
    const dialog = page.getByRole('dialog')
    const save = () => dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit Payday' }).click()
    const next = dialog.getByLabel('Next payday', { exact: true })
    await next.fill('last fri')
    await save()
    await dialog.getByText('Enter a day after today.').waitFor()
    await next.fill('next fri')
    await dialog.getByLabel('Add it as a transaction on each payday').check()
    await dialog.getByLabel('Expected pay', { exact: true }).fill('')
    await save()
    await dialog.getByText('it is the amount that is added').waitFor()
    await takePicture(page, 'web-payday-automatic')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByLabel('Expected pay', { exact: true }).fill('1800')
    await save()
    await page.getByText('added as a transaction on each payday').waitFor()
    await takePicture(page, 'web-payday-automatic-shown')
    await page.goto(`${coffer.baseUrl}/envelopes/${spendingId}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog.getByLabel('Add the payment as a transaction on that day').check()
    await takePicture(page, 'web-envelope-automatic')
    await save()
    await page.getByText('the payment is added as a transaction').waitFor()
    await takePicture(page, 'web-envelope-automatic-shown')
  })
  const [schedule] = (await carol.client.listFundingSchedules(bank)).data ?? []
  const { data } = await carol.client.getSpending({ path: { ...bank.path, spendingId } })
  expect([schedule?.autoCreateTransaction, data.autoCreateTransaction]).toEqual([true, true])
})

test('a reading whose import was undone is not offered again; a debt has no sign', async () => {
  const alice = await coffer.person()
  const { linkId } = await alice.post('/links', { institutionName: 'First Bank' })
  const card = { linkId, name: 'Visa', accountType: 'credit', accountSubType: 'credit card' }
  const balances = { availableBalance: -14_320, currentBalance: -14_320 }
  const { bankAccountId } = await alice.post('/bank_accounts', { ...card, ...balances })
  const bank = { path: { bankAccountId } }
  const [date, memo, amount] = ['Date', 'Text', 'Amount'].map((name) => ({ name }))
  const right = {
    headers: ['Date', 'Text', 'Amount'],
    id: { kind: 'hashed', fields: [date] },
    amount: { kind: 'sign', invert: false, fields: [amount] },
    memo,
    date: { fields: [date], format: 'DD/MM/YYYY' },
    balance: { kind: 'none' },
  }
  await alice.post('/mappings', { mapping: right })
  const buffer = Buffer.from('Date,Text,Amount\n13/10/2026,Rewe,12.50\n14/10/2026,Hotel,90.00\n')
  const file = { name: 'card.csv', mimeType: 'text/csv', buffer }
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    const known = page.getByText(/Dates are written as: 31\/12\/2026 .*Amounts without a minus/)
    await page.getByLabel('Choose a file').setInputFiles(file)
    await known.filter({ hasText: 'leave the account' }).waitFor()
    await page.getByLabel('Amounts without a minus').selectOption('come in')
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('it stays $143.20 (owed)').waitFor()
    await page.getByRole('button', { name: /^Import 2/ }).click()
    await page.getByText('The next file with these columns').waitFor()
    const [stored] = (await alice.client.listImports(bank)).data
    await page.goto(`${coffer.baseUrl}/imports`)
    await page.getByLabel('Choose a file').setInputFiles(file)
    await known.filter({ hasText: 'come in' }).waitFor()
    const transactionUploadId = stored?.transactionUploadId ?? ''
    await alice.client.undoUpload({ path: { ...bank.path, transactionUploadId } })
    await page.goto(`${coffer.baseUrl}/imports`)
    await page.getByLabel('Choose a file').setInputFiles(file)
    await known.filter({ hasText: 'leave the account' }).waitFor()
    expect(await known.count()).toBe(1)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from '../browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

const data = (name: string) => join(root, 'test/data', name)

const fileOf = (name: string, text: string) => {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text, 'latin1') }
}

/** Drops a file of the test data on the screen. */
async function drop(page: Page, name: string): Promise<void> {
  const parts = [readFileSync(data(name), 'utf8'), name].map((one) => JSON.stringify(one))
  const dataTransfer = await page.evaluateHandle(`(() => {
    const held = new DataTransfer()
    held.items.add(new File([${parts[0]}], ${parts[1]}))
    return held
  })()`)
  await page.dispatchEvent('main', 'dragover', { dataTransfer })
  await page.getByText('Let go of the file').waitFor()
  await takePicture(page, 'web-drop')
  await page.dispatchEvent('main', 'drop', { dataTransfer })
}

test('the days of a CSV file are guessed by its rows, and the way back is open', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const spent = ['30.10.2026,Rewe,-12.50', '31.10.2026,Kaffee,-3.00']
  const rows = [...spent, '01.11.2026,Lohn,900.00', '02.11.2026,Kaputt,x']
  const text = ['Datum,Text,Betrag', ...rows, ''].join('\n')
  const file = { name: 'giro.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  const viewing = { url: `${coffer.baseUrl}/imports`, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    await page.getByLabel('Choose a file').setInputFiles(fileOf('bill.png', '\x89PNG\r\n'))
    await page.getByText('This is no file of a bank that').waitFor()
    await page.getByLabel('Choose a file').setInputFiles(file)
    const format = page.getByLabel('Dates are written as')
    await format.waitFor()
    expect(await format.inputValue()).toBe('DD.MM.YYYY')
    await page.getByRole('cell', { name: '30.10.2026' }).waitFor()
    await takePicture(page, 'web-csv-rows')
    await format.selectOption('YYYY-MM-DD')
    await page.getByText('30.10.2026 is not written this way.').waitFor()
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('Choose another format in “Dates are written as”').waitFor()
    await takePicture(page, 'web-csv-failed')
    await page.getByRole('button', { name: 'Back to the columns' }).click()
    expect(await format.inputValue()).toBe('YYYY-MM-DD')
    await format.selectOption('DD.MM.YYYY')
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('The file states no balance, so it stays $0.00.').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('3 transactions, 1 left out').waitFor()
    await page.getByText('The next file with these columns').waitFor()
    await page.goBack()
    await page.getByLabel('Choose a file').setInputFiles(file)
    await page.getByText('Date: Datum · Description: Text · Amount: Betrag').waitFor()
    await page.getByRole('button', { name: 'Forget it' }).click()
    await page.getByText('Files with these columns').waitFor({ state: 'detached' })
    await page.goto(`${coffer.baseUrl}/imports`)
    await page.getByText('no amount: 1').click()
    await page.getByText('Line 5:').waitFor()
    await page.getByRole('link', { name: 'Go on with the plan' }).click()
    await page.getByText('When does money come in?').waitFor()
  })
})

test('a file of another bank account says so, and leads there', async () => {
  const alice = await coffer.person()
  const { linkId } = await alice.createBankAccount(0)
  const card = await alice.post('/bank_accounts', {
    linkId,
    name: 'Visa',
    accountType: 'credit',
    accountSubType: 'credit card',
  })
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    const choice = page.getByLabel('Choose a file')
    await choice.setInputFiles(data('card.qfx'))
    await page.getByText('The file is of a card, and Checking is none.').waitFor()
    await takePicture(page, 'web-misfit')
    await page.getByRole('button', { name: 'Take Visa instead' }).click()
    await page.getByRole('button', { name: /^Import \d+ transactions into Visa/ }).click()
    await page.getByText('Done').waitFor()
    const path = `/bank_accounts/${card.bankAccountId}`
    expect((await alice.get(`${path}/transactions`)).length).toBeGreaterThan(0)
    await page.goto(`${coffer.baseUrl}/imports?account=none`)
    await page.getByText('Its transactions go to Checking.').waitFor()
    await page.getByText('Visa ·').waitFor()
    await choice.setInputFiles(data('card.qfx'))
    await page.getByText(/are in Visa already\. Does the file belong there/).waitFor()
    await page.getByRole('button', { name: 'Take Visa instead' }).click()
    await page.getByRole('button', { name: 'Finish the import into Visa' }).waitFor()
  })
})

test('a CSV file that leaves open which amounts leave asks before the preview', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const text = ['Date,Text,Amount', '02/10/2026,Rewe,12.50', '03/11/2026,Hotel,90.00', ''].join(
    '\n',
  )
  const file = { name: 'card.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    await page.getByLabel('Choose a file').setInputFiles(file)
    const plain = page.getByLabel('Amounts without a minus')
    await plain.waitFor()
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('The file does not say this clearly.').waitFor()
    await takePicture(page, 'web-csv-asks')
    await page.getByLabel('Dates are written as').selectOption('DD/MM/YYYY')
    await plain.selectOption('leave the account')
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('2 new transactions').waitFor()
    expect(await page.getByText('goes out').count()).toBe(2)
    expect(await page.getByText('comes in').count()).toBe(0)
  })
})

test('the list of imports goes on after the newest 25; a phone drops no file', async () => {
  const bob = await coffer.person()
  const { bank } = await bob.createBankAccount(0)
  for (let at = 0; at < 26; at += 1) {
    const data = new File(['!Type:Bank\nD10/25/2026\nT-1.00\nPShop\n^\n'], `number ${at}.qif`)
    await bob.client.createUpload({ ...bank, body: { data } })
    // At most ten are under way.
    if (at % 10 === 9) {
      const list = async () => (await bob.client.listUploads(bank)).data
      await eventually(list, (all) => all.every(({ status }) => status === 'complete'))
    }
  }
  const viewing = { url: `${coffer.baseUrl}/imports`, cookie: bob.cookie, isPhone: true }
  await view(viewing, async (page) => {
    await page.getByText('Choose a file of your bank').waitFor()
    await page.getByText('number 1.qif', { exact: true }).waitFor()
    await takePicture(page, 'web-imports-phone')
    expect(await page.getByText('number 0.qif').count()).toBe(0)
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await page.getByText('number 0.qif').waitFor()
    await page.getByRole('button', { name: 'Show older ones' }).waitFor({ state: 'detached' })
  })
})

test('a file of the bank is imported and undone, a CSV file is mapped and stored', async () => {
  const alice = await coffer.person()
  const { path } = await alice.createBankAccount(0)
  const count = async () => (await alice.get(`${path}/transactions?limit=100`)).length
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    const choice = page.getByLabel('Choose a file')
    await page.goto(`${coffer.baseUrl}/envelopes`)
    await page.getByRole('heading', { level: 1, name: 'Envelopes' }).waitFor()
    await drop(page, 'card.qfx')
    await page.getByRole('cell', { name: /corner deli/i }).waitFor()
    await page.goBack()
    await choice.setInputFiles(data('card.qfx'))
    await takePicture(page, 'web-preview')
    expect(await count()).toBe(0)
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('Done').waitFor()
    await page.getByRole('link', { name: 'Look at the transactions' }).waitFor()
    expect(await count()).toBeGreaterThan(0)
    await takePicture(page, 'web-imports')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').waitFor()
    expect(await count()).toBe(0)
    await choice.setInputFiles(data('sign.csv'))
    await page.getByRole('heading', { name: 'Read a CSV file' }).waitFor()
    await page.getByLabel('Dates are written as').waitFor()
    await takePicture(page, 'web-csv-columns')
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByText('4 new transactions').waitFor()
    await page.getByText('POS DEBIT, CAFE "ELAN" SAINT PAUL MN').waitFor()
    await takePicture(page, 'web-csv-preview')
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('4 transactions', { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Result of the import' }).waitFor()
    await page.getByRole('link', { name: 'Look at the transactions' }).click()
    await page.getByText('+1,500.00').waitFor()
    expect(await count()).toBe(4)
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByRole('link', { name: 'Go on with the plan' }).click()
    await page.getByText('When does money come in?').waitFor()
    await takePicture(page, 'web-start-payday')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your first envelopes').waitFor()
    await takePicture(page, 'web-start-envelopes')
    const rent = page.getByRole('listitem').filter({ has: page.getByLabel('Rent') })
    await rent.getByLabel('Amount needed').fill('900')
    await page.getByRole('button', { name: 'Create one envelope' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByText('fills one envelope').waitFor()
  })
})

/** Sockets that take long to open, and are not to be closed before. */
const slowSockets = `globalThis.WebSocket = class extends EventTarget {
  close() { console.error('closed before it was open') }
}`

test('a file is done before the socket of its progress is open', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount(0)
  const body = { data: new File([readFileSync(data('card.qfx'))], 'card.qfx') }
  const { transactionUploadId } = (await alice.client.createUpload({ ...bank, body })).data
  const path = { ...bank.path, transactionUploadId }
  await eventually(
    async () => (await alice.client.getUpload({ path })).data.status,
    (status) => status === 'complete',
  )
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: alice.cookie }, async (page) => {
    await page.addInitScript(slowSockets)
    const isList = /transactions\/upload(\?|$)/
    const working = [{ ...(await alice.client.listUploads(bank)).data[0], status: 'processing' }]
    await page.route(isList, (route) => route.fulfill({ json: working }), { times: 1 })
    await page.goto(`${coffer.baseUrl}/imports`)
    await page.getByText('Reading', { exact: true }).waitFor()
    await page.getByText('Done').waitFor()
  })
})

test('rows of a file that are stored already are joined where the person ticks them', async () => {
  const alice = await coffer.person()
  const { path, bank } = await alice.createBankAccount(0)
  const count = async () => (await alice.get(`${path}/transactions?limit=100`)).length
  for (const [name, amount, day] of [
    ['Deli', 1000, 18],
    ['Cafe', 475, 17],
  ] as const) {
    const body = { name, amount, date: `2026-01-${day}T06:00:00Z` }
    await alice.client.createTransaction({ ...bank, body })
  }
  const body = { currentBalance: 50_000, availableBalance: 50_000 }
  await alice.client.updateBankAccount({ ...bank, body })
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    const choice = page.getByLabel('Choose a file')
    await choice.setInputFiles(data('card.qfx'))
    const deli = page.getByLabel(/corner deli on .* is Deli on/i)
    expect(await deli.isChecked()).toBe(false)
    await deli.check()
    await takePicture(page, 'web-joins')
    await page.getByRole('button', { name: /^Import \d/ }).click()
    const result = page.getByRole('status').filter({ hasText: /^2 transactions, 1 joined$/ })
    await result.waitFor()
    await page.getByText(/^The balance is \$500\.00; the file states .* for its last day/).waitFor()
    await takePicture(page, 'web-stored')
    expect(await count()).toBe(4)
    await choice.setInputFiles(data('sign.csv'))
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByLabel('All of them').check()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByRole('link', { name: 'Look at the transactions' }).waitFor()
    expect(await count()).toBe(7)
    await page.getByRole('button', { name: 'Undo this import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 2, name: 'Undone' }).waitFor()
    await page.getByText('Its transactions are deleted. The balance is $500.00.').waitFor()
    expect(await count()).toBe(4)
  })
})

test('rows of the same day and text as transactions are ticked beforehand', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const row = (day: number, name: string) =>
    `<STMTTRN><FITID>${day}<DTPOSTED>202601${day}<TRNAMT>-5<NAME>${name}</STMTTRN>`
  const list = [row(10, 'Deli'), row(11, 'Cafe')].join('\n')
  const ofx = `<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>${list}</BANKTRANLIST></STMTRS></OFX>`
  const csv = 'Date,Description,Amount\n2026-01-10,DELI,-5.00\n2026-01-11,CAFE,-5.00\n'
  await view({ url: `${coffer.baseUrl}/imports`, cookie: alice.cookie }, async (page) => {
    const choice = page.getByLabel('Choose a file')
    await choice.setInputFiles(fileOf('a.ofx', ofx))
    await page.getByRole('row', { name: /Deli/ }).waitFor()
    const table = (await page.getByRole('table').textContent()) ?? ''
    expect(table.indexOf('Cafe')).toBeLessThan(table.indexOf('Deli'))
    await page.getByRole('button', { name: 'Import 2 transactions into' }).click()
    await page.getByRole('link', { name: 'Look at the transactions' }).waitFor()
    await choice.setInputFiles(fileOf('b.csv', csv))
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByRole('button', { name: 'Import 0 new, join 2' }).waitFor()
    await page.getByLabel('DELI on').uncheck()
    await page.getByText('1 may be stored twice').waitFor()
    await page.getByText('1 new transaction, 1 joined with stored ones').waitFor()
    await page.getByRole('button', { name: 'Import 1 new, join 1' }).click()
    await page.getByRole('button', { name: 'Undo this import' }).click()
    await page.getByText('1 row is no longer joined: its transaction stays.').waitFor()
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { started } from '@coffer/host/testing/started'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectLooks, useBrowser } from '../browser.ts'

const { viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

const fileOf = (name: string, text: string) => {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) }
}

const listOf = (page: Page) => page.getByRole('region', { name: 'Files of several accounts' })

/** Opens the imports of a person and sends a file. */
async function sending(
  person: Person,
  file: ReturnType<typeof fileOf>,
  look: (page: Page) => Promise<void>,
  { hasRefusals = false } = {},
) {
  const viewing = { url: `${coffer.baseUrl}/imports`, cookie: person.cookie, hasRefusals }
  await viewBypassed(viewing, async (page) => {
    await page.getByLabel('Choose a file').setInputFiles(file)
    await look(page)
  })
}

test('a file of several accounts goes to several bank accounts, and is undone as one', async () => {
  const alice = await coffer.person()
  const { linkId, path, id } = await alice.createBankAccount(0)
  const { bankAccountId: savings } = await alice.post('/bank_accounts', {
    linkId,
    name: 'Savings for a house by the sea, and everything that it needs',
    availableBalance: 0,
    currentBalance: 0,
  })
  const counts = () =>
    Promise.all(
      [path, `/bank_accounts/${savings}`].map(
        async (one) => (await alice.get(`${one}/transactions`)).length,
      ),
    )
  const text = readFileSync(join(root, 'test/data/several-accounts.ofx'), 'utf8')
  const file = fileOf('all.ofx', text)
  await sending(alice, file, async (page) => {
    const first = page.getByLabel(/1001.* goes to/)
    await first.waitFor()
    await first.selectOption(id)
    await page.getByLabel(/2002.* goes to/).selectOption(id)
    await page.getByText('needs a bank account of its own').waitFor()
    await page.getByLabel(/2002.* goes to/).selectOption(savings)
    await expectLooks(page, 'web-several')
    await page.getByRole('button', { name: 'Show a preview of 2 accounts' }).click()
    await page.getByRole('cell', { name: 'LUNCH' }).waitFor()
    await page.getByRole('button', { name: 'Back to the accounts' }).click()
    expect(await first.inputValue()).toBe(id)
    await page.getByRole('button', { name: 'Show a preview of 2 accounts' }).click()
    await page.getByRole('cell', { name: 'LUNCH' }).waitFor()
    expect(await counts()).toEqual([0, 0])
    await page.getByRole('button', { name: 'Import 2 accounts' }).click()
    const list = listOf(page)
    await list.getByText('Done').waitFor()
    expect(await counts()).toEqual([1, 1])
    await expectLooks(page, 'web-several-list')
    // The next file of this bank goes the same way.
    await page.getByLabel('Choose a file').setInputFiles(file)
    await first.waitFor()
    expect(await first.inputValue()).toBe(id)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await list.getByRole('button', { name: 'Undo all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo all' }).click()
    await list.getByText('Undone').waitFor()
    expect(await counts()).toEqual([0, 0])
  })
})

test('rows of several accounts that are stored already are joined in each', async () => {
  const alice = await coffer.person()
  const { linkId, path, id } = await alice.createBankAccount(0)
  const body = { linkId, name: 'Savings', availableBalance: 0, currentBalance: 0 }
  const { bankAccountId: savings } = await alice.post('/bank_accounts', body)
  const text = readFileSync(join(root, 'test/data/several-accounts.ofx'), 'utf8')
  const lunch = { name: 'Lunch with Bob', amount: 1200, date: '2026-01-14T12:00:00Z' }
  await alice.post(`${path}/transactions`, { ...lunch, adjustsBalance: false })
  await sending(alice, fileOf('all.ofx', text), async (page) => {
    await page.getByLabel(/1001.* goes to/).selectOption(id)
    await page.getByLabel(/2002.* goes to/).selectOption(savings)
    await page.getByRole('button', { name: 'Show a preview of 2 accounts' }).click()
    const known = page.getByRole('region', { name: /1001.*Perhaps stored already/ })
    await known.getByLabel('LUNCH on').check()
    await expectLooks(page, 'web-several-preview')
    await page.getByRole('button', { name: 'Import 2 accounts' }).click()
    await page.getByText(/1001.*: 0 transactions, 1 joined/).waitFor()
    await listOf(page).getByText('Done').waitFor()
    expect(await alice.get(`${path}/transactions`)).toMatchObject([{ name: 'Lunch with Bob' }])
    expect(await alice.get(`/bank_accounts/${savings}/transactions`)).toHaveLength(1)
  })
})

test('several accounts are read again by the choice that one of them asks for', async () => {
  const alice = await coffer.person()
  const { id } = await alice.createBankAccount(0)
  const text = readFileSync(join(root, 'test/data/several-accounts.ofx'), 'utf8')
  const file = fileOf('all.ofx', text.replaceAll('.00', '').replace('-12', '-1,400'))
  await sending(alice, file, async (page) => {
    await page.getByLabel(/1001.* goes to/).selectOption(id)
    await page.getByRole('button', { name: 'Show a preview of 1 account' }).click()
    await page.getByRole('button', { name: 'The point parts the cents' }).click()
    await page.getByText('1,400.00').waitFor()
    await page.getByRole('button', { name: 'Import 1 account' }).click()
    await listOf(page).getByText('Done').waitFor()
  })
  expect(await alice.get(`/bank_accounts/${id}/transactions`)).toMatchObject([{ amount: 140_000 }])
})

test('a file says what it asks, how it is read and what it leaves out', async () => {
  const alice = await coffer.person()
  const { path } = await alice.createBankAccount(0)
  const rows = 'D02/03/2026\nT-1,400\nPRent\n^\nD04/03/2026\nTx\nPBad\n^\n'
  await sending(alice, fileOf('a.qif', `!Type:Bank\n${rows}`), async (page) => {
    await page.getByText('1,400 can be read in two ways').waitFor()
    await expectLooks(page, 'web-asks')
    await page.getByRole('button', { name: 'The point parts the cents' }).click()
    await page.getByRole('button', { name: 'The day is first' }).click()
    await page.getByRole('cell', { name: 'Rent' }).waitFor()
    await page.getByText('−1,400.00').waitFor()
    await page.getByText('1 new transaction, 1 left out').waitFor()
    await page.getByText('Read with').click()
    await expectLooks(page, 'web-read-choices')
    await page.getByLabel('Decimal mark').selectOption(',')
    await page.getByText('−1.40').waitFor()
    await page.getByRole('button', { name: 'Import 1 transaction' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^1 transaction, 1 left out$/ })
      .waitFor()
    const [stored] = await alice.get(`${path}/transactions`)
    expect(stored).toMatchObject({ amount: 140, date: expect.stringContaining('2026-03-02') })
  })
})

test('the meaning of a minus among debits is asked for, and can be chosen otherwise', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const rows = ['1/15/2026,Shop,50.00,', '1/16/2026,Back,-5.00,', '1/17/2026,Pay,,100.00']
  await sending(
    alice,
    fileOf('a.csv', `Date,Text,Debit,Credit\n${rows.join('\n')}`),
    async (page) => {
      await page.getByRole('button', { name: 'Show a preview' }).click()
      await page.getByRole('button', { name: 'A minus is money that goes back' }).click()
      await page.getByText('Read with a minus for money that goes back').click()
      await page.getByText('−50.00').waitFor()
      await page.getByLabel('Money out and in with a minus').selectOption('false')
      await page.getByText('−5.00').waitFor()
    },
  )
})

test('another sheet of a workbook is read by choice', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const rowOf = (cells: string[]) => `<tr>${cells.map((one) => `<td>${one}</td>`).join('')}</tr>`
  const table = (...rows: string[][]) => `<table>${rows.map(rowOf).join('')}</table>`
  const head = ['Date', 'Text', 'Amount']
  const old = table(head, ['2026-01-05', 'Tea', '-3.20'], ['2026-01-06', 'Cake', '-4.20'])
  const recent = table(head, ['2026-02-05', 'Coffee', '-2.10'])
  const workbook = `<html><body>${old}${recent}</body></html>`
  await sending(alice, fileOf('year.xls', workbook), async (page) => {
    const sheet = page.getByLabel('Sheet of the workbook')
    await page.getByRole('cell', { name: 'Cake' }).waitFor()
    await expectLooks(page, 'web-sheets')
    await sheet.selectOption('Table 2')
    await page.getByRole('cell', { name: 'Coffee' }).waitFor()
    expect(await sheet.inputValue()).toBe('Table 2')
    await page.reload()
    await page.getByText('choose the file again').waitFor()
    expect(await sheet.isDisabled()).toBe(true)
  })
})

test('a table is read whatever its name, and in another character set by choice', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const text = 'Date,Text,Sum\n2026-01-05,Caf\xe9,-3\n'
  const file = { ...fileOf('export.txt', ''), buffer: Buffer.from(text, 'latin1') }
  const look = async (page: Page) => {
    await page.getByRole('cell', { name: 'Café' }).waitFor()
    await page.getByText('Read with').click()
    await page.getByLabel('Character set').selectOption('windows-1251')
    await page.getByRole('cell', { name: 'Cafй' }).waitFor()
  }
  // The file is refused as a statement first.
  await sending(alice, file, look, { hasRefusals: true })
})

test.each([
  ['camt.xml', readFileSync(join(root, 'test/data/camt-053-v2.xml'), 'utf8'), /Nordfeld/],
  [
    'month.sta',
    ':20:A\n:25:DE1\n:28C:1\n:60F:C260101EUR10,00\n:61:2601050105D4,75NMSCNONREF\n:86:Bakery\n' +
      ':62F:C260131EUR5,25\n',
    /Bakery/,
  ],
])('the rows of %s are shown before they are stored', async (name, text, shown) => {
  const alice = await coffer.person()
  const { linkId } = await alice.createBankAccount(0)
  const body = { linkId, name: 'Euro', currency: 'EUR', availableBalance: 0, currentBalance: 0 }
  const { bankAccountId } = await alice.post('/bank_accounts', body)
  const url = `${coffer.baseUrl}/imports?account=${bankAccountId}`
  await viewBypassed({ url, cookie: alice.cookie }, async (page) => {
    await page.getByLabel('Choose a file').setInputFiles(fileOf(name, text))
    await page.getByRole('row').filter({ hasText: shown }).first().waitFor()
    await page.getByRole('button', { name: /^Import \d/ }).waitFor()
    expect(await alice.get(`/bank_accounts/${bankAccountId}/transactions`)).toEqual([])
  })
})

test('of a file with many columns those in use are kept, and found for the next file', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(0)
  const others = Array.from({ length: 23 }, (_, at) => at + 1)
  const monthOf = (month: number) => {
    const rowOf = (day: number, rest: string) =>
      `2026-0${month}-0${day},${rest},${others.map((other) => `Part ${other}`)}\n`
    const header = `Date,Text,Amount,${others.map((other) => `Other ${other}`)}\n`
    const text = header + rowOf(1, 'Rewe,-12.50') + rowOf(2, 'Cafe,-3.00')
    return fileOf('wide.csv', text)
  }
  await sending(alice, monthOf(1), async (page) => {
    await page.getByRole('button', { name: 'Show a preview' }).click()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('The next file with these columns').waitFor()
    // A newer mapping, for the file of another bank that has names of the wide one alone.
    const [date, amount] = [{ name: 'Date' }, { name: 'Amount' }]
    const narrow = {
      headers: ['Date', 'Text', 'Amount'],
      id: { kind: 'hashed', fields: [date] },
      amount: { kind: 'sign', invert: false, fields: [amount] },
      memo: date,
      date: { fields: [date], format: 'YYYY-MM-DD' },
      balance: { kind: 'none' },
    }
    await alice.post('/mappings', { mapping: narrow })
    await page.goto(`${coffer.baseUrl}/imports`)
    await page.getByLabel('Choose a file').setInputFiles(monthOf(2))
    await page.getByText('Date: Date · Description: Text · Amount: Amount').waitFor()
    await page.getByRole('button', { name: 'Read it the same way' }).click()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('The next file with these columns').waitFor()
  })
  const [, mapping] = await alice.get('/mappings')
  expect(mapping.mapping.headers).toHaveLength(20)
  expect(mapping.mapping.headers.slice(0, 4)).toEqual(['Date', 'Text', 'Amount', 'Other 1'])
})

test('a file that was left is continued, and Home says that none stated a balance', async () => {
  const erin = await coffer.person()
  const { bank } = await erin.createBankAccount(0)
  const rows = ['30,Bakery,-12.50', '30,Kiosk,-2.50', '31,Pay,900.00']
  const text = ['Date,Text,Amount', ...rows.map((row) => `2026-10-${row}`)].join('\n')
  await erin.client.createImport({ ...bank, body: { data: new File([text], 'other.csv') } })
  await sending(erin, fileOf('left.csv', text), async (page) => {
    await page.getByRole('button', { name: 'Show a preview' }).waitFor()
    await page.getByRole('link', { name: 'Imports' }).first().click()
    await page.getByRole('button', { name: 'Discard other.csv' }).click()
    await expectLooks(page, 'web-discard')
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('other.csv', { exact: true }).waitFor({ state: 'detached' })
    await page.getByText('Waits for its columns').waitFor()
    await page.getByRole('link', { name: 'Continue left.csv' }).click()
    await page.getByRole('button', { name: 'Show a preview' }).click()
    const store = page.getByRole('button', { name: /^Import 3/ })
    await store.waitFor()
    await page.getByRole('link', { name: 'Imports' }).first().click()
    await page.getByText('Waits to be confirmed').waitFor()
    await expectLooks(page, 'web-unfinished')
    await page.getByRole('link', { name: 'Continue left.csv' }).click()
    await store.click()
    await page.getByRole('heading', { name: 'Stored' }).waitFor()
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByText('Imported transactions do not move the balance').waitFor()
    await expectLooks(page, 'web-no-balance')
    await page.getByRole('link', { name: 'Enter the balance' }).click()
    await page.getByLabel('Posted balance').fill('50')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByText('$50.00').first().waitFor()
    expect(await page.getByText('Imported transactions do not move').count()).toBe(0)
  })
})

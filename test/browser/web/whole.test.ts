import { readFile } from 'node:fs/promises'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, overflowOf, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { viewBypassed } = useBrowser()

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
    await page.goto(`${coffer.baseUrl}/forecast`)
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
    await page.emulateMedia({ colorScheme: 'dark' })
    await takePicture(page, 'web-transaction-icon')
    expect(await axeFaults(page)).toEqual([])
  })
})

import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from '../browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Adds a payment; refused amounts are typed before the accepted one. */
async function pay(page: Page, name: string, amounts: string[]): Promise<void> {
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  for (const [index, amount] of amounts.entries()) {
    if (index > 0) await dialog.getByText(/^Enter an amount/).waitFor()
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

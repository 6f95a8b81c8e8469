import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { takePicture, useBrowser } from '../browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

test('a person adds a card by what is owed on it, and states its balance again', async () => {
  const alice = await coffer.person()
  const sumsOf = async () => {
    const [account] = (await alice.client.listBankAccounts()).data ?? []
    const { accountType, currentBalance, availableBalance, limitBalance } = account ?? {}
    return [accountType, currentBalance, availableBalance, limitBalance]
  }
  await view({ url: `${coffer.baseUrl}/setup`, cookie: alice.cookie, width: 360 }, async (page) => {
    await page.getByLabel('Bank', { exact: true }).fill('First Bank')
    await page.getByLabel('Kind of account').selectOption('Credit card')
    await page.getByLabel('Owed now').fill('250')
    await page.getByLabel('Credit limit').fill('1,000')
    await takePicture(page, 'web-new-card-phone')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Your plan' }).waitFor()
    expect(await sumsOf()).toEqual(['credit', -25_000, 75_000, 100_000])
    await page.goto(`${coffer.baseUrl}/accounts`)
    await page.getByRole('button', { name: 'Edit Credit card' }).click()
    await page.getByLabel('Posted balance').fill('-260')
    await takePicture(page, 'web-edit-account-phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('−$260.00').waitFor()
    expect(await sumsOf()).toEqual(['credit', -26_000, 74_000, 100_000])
    await page.getByRole('button', { name: 'Archive Credit card' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Archived (1)').click()
    await takePicture(page, 'web-archived-phone')
    expect(await sumsOf()).toEqual([undefined, undefined, undefined, undefined])
    await page.getByRole('button', { name: 'Restore Credit card' }).click()
    await page.getByRole('button', { name: 'Edit Credit card' }).waitFor()
    expect(await sumsOf()).toEqual(['credit', -26_000, 74_000, 100_000])
  })
})

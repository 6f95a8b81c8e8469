import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'

const { viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

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
    await bar.getByLabel('Tag').fill('Food, daily')
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

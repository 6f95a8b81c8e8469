import { readFileSync } from 'node:fs'
import { started } from '@coffer/host/testing/started'
import { daysAgo, linkOne, startFeedWorld } from '@coffer/test/mesh/feed-world.ts'
import { expect, test } from '@jest/globals'
import { takePicture, useBrowser } from '../browser.ts'

const { view } = useBrowser()

const world = started(() => startFeedWorld())

test('a person says which posted purchase was pending, and downloads the list', async () => {
  const home = await linkOne(world)
  const bakery = { date: daysAgo(1), merchant: 'Corner Bakery' }
  home.bank.pend({ ...bakery, amount: '-4.80' })
  await home.sync()
  // Two that may be the pending one: the rules join neither.
  home.bank.post({ ...bakery, amount: '-7.90' })
  home.bank.post({ ...bakery, amount: '-8.40' })
  await home.sync()
  const list = await home.list()
  const idOf = (amount: number) => list.find((one) => one.amount === amount).transactionId
  const url = `${world.coffer.baseUrl}/transactions/${idOf(840)}`
  await view({ url, cookie: home.person.cookie }, async (page) => {
    await page.getByText('The same as a pending one?').waitFor()
    await takePicture(page, 'web-suggestion')
    await page.getByRole('button', { name: 'Another payment' }).click()
    await page.getByText('The same as a pending one?').waitFor({ state: 'detached' })
    await page.goto(`${world.coffer.baseUrl}/transactions/${idOf(790)}`)
    await page.getByRole('button', { name: 'The same payment' }).click()
    await page.getByText('Posted with another amount').waitFor()
    await takePicture(page, 'web-joined')
    await page.goto(`${world.coffer.baseUrl}/transactions`)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const csv = readFileSync(await (await downloading).path(), 'utf8')
    expect(csv.startsWith('\ufeff')).toBe(true)
    const rows = csv.trim().split('\r\n').slice(1)
    expect(rows.filter((row) => row.includes('Corner Bakery'))).toHaveLength(2)
  })
})

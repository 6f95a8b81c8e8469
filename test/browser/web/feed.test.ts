import { readFileSync } from 'node:fs'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { addAccount, daysAgo, linkOne, startFeedWorld } from '@coffer/test/mesh/feed-world.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'

const { view, viewBypassed } = useBrowser()

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
    const record = page.getByRole('region', { name: 'As the bank has sent it' })
    await record.getByText('Corner Bakery').first().waitFor()
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

test('a person connects a feed, chooses its bank account, and syncs it', async () => {
  const { coffer, provider } = world
  const feedId = addAccount(provider, { name: 'Everyday', institution_name: 'Feed Bank' })
  provider.bank(feedId).post({ date: daysAgo(2), merchant: 'Bookshop', amount: '-12.00' })
  const bob = await coffer.person()
  const viewing = { url: `${coffer.baseUrl}/setup`, cookie: bob.cookie, width: 390 }
  await view(viewing, async (page) => {
    await page.getByRole('link', { name: 'My own provider' }).click()
    await page.getByLabel('Name of the connection').fill('Home')
    await page.getByLabel('Address of the provider').selectOption(provider.url)
    await page.getByLabel('API key of the provider').fill(provider.apiKey)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByLabel('Feed Bank: Everyday').waitFor()
    await page.reload()
    await page.getByLabel('Feed Bank: Everyday').waitFor()
    await page.goto(`${coffer.baseUrl}/accounts`)
    await page.getByText('no bank account is chosen yet').waitFor()
    await takePicture(page, 'web-feed-pending')
    await page.getByRole('link', { name: 'Go on with Home' }).click()
    await page.getByLabel('Feed Bank: Everyday').check()
    await takePicture(page, 'web-feed-candidates')
    await page.getByRole('button', { name: 'Add the chosen ones' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your plan' }).waitFor()
    await page.goto(`${coffer.baseUrl}/accounts`)
    const sync = page.getByRole('button', { name: 'Sync now' })
    await sync.and(page.locator(':not([aria-busy])')).click()
    await page.getByText('Synced: ').waitFor()
    await takePicture(page, 'web-feed-synced')
    await page.goto(`${coffer.baseUrl}/transactions`)
    await page.getByRole('link', { name: 'Bookshop' }).waitFor()
  })
})

test('a feed gets a second bank account, and one that is not finished is removed', async () => {
  const { coffer, provider } = world
  const carol = await coffer.person()
  const { client } = carol
  const connect = async (name: string) => {
    const body = { name, feedURL: provider.url, apiKey: provider.apiKey }
    const { feedLinkId } = (await client.createFeedLink({ body })).data
    await client.refreshFeedBankAccounts({ path: { feedLinkId } })
    return feedLinkId
  }
  addAccount(provider, { name: 'Giro', institution_name: 'Feed Bank' })
  const feedLinkId = await connect('Kept')
  await connect('Given up')
  const candidates = (await client.listFeedBankAccounts({ path: { feedLinkId } })).data ?? []
  const giro = candidates.find(({ name }) => name === 'Giro')
  const body = { institutionName: 'Feed Bank', feedLinkId }
  const { linkId } = (await client.createLink({ body })).data
  const first = { linkId, name: 'Giro', feedBankAccountId: giro?.feedBankAccountId ?? '' }
  await client.createBankAccount({ body: first })
  addAccount(provider, { name: 'Savings', institution_name: 'Feed Bank' })
  const viewing = { url: `${coffer.baseUrl}/accounts`, cookie: carol.cookie }
  await viewBypassed(viewing, async (page) => {
    await page.getByRole('region', { name: 'Given up' }).getByRole('button').click()
    await takePicture(page, 'web-feed-remove')
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the connection' }).click()
    await page.getByRole('region', { name: 'Given up' }).waitFor({ state: 'detached' })
    await eventually(
      async () => (await client.listFeedLinks()).data ?? [],
      (links) => links.length === 1,
    )
    await page.getByRole('link', { name: 'Choose its accounts' }).click()
    expect(await page.getByLabel('Feed Bank: Giro (added)').isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByLabel('Feed Bank: Savings').check()
    await takePicture(page, 'web-feed-second')
    await page.getByRole('button', { name: 'Add the chosen ones' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your plan' }).waitFor()
  })
  const { data: accounts } = await client.listBankAccounts({ query: { link_id: linkId } })
  expect(accounts?.map(({ name }) => name)).toEqual(['Giro', 'Savings'])
})

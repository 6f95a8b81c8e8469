import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { expectLooks, isOfStream, takePicture, useBrowser } from '../browser.ts'
import { atHome } from '../launch.ts'
import { createHousehold } from './household.ts'

const { view, viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

/** Tells a page that it is seen again, as after a change of tabs. */
const seeAgain = (page: Page) =>
  page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')

test('a change shows in other tabs at once, and that of another device by ETag', async () => {
  const alice = await coffer.person()
  const { bank, transactionId } = await createHousehold(alice)
  const url = `${coffer.baseUrl}/transactions`
  // Answers that the other tab asks for at the sign-out are 401.
  const viewing = { url, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    await page.getByRole('link', { name: 'Corner' }).waitFor()
    const tab = await page.context().newPage()
    await tab.clock.install()
    await tab.goto(url)
    await tab.getByRole('link', { name: 'Corner' }).waitFor()
    // Nothing asks for the list again by itself: pages of it may be loaded.
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: 'Name' }).fill('Kiosk')
    await page.getByRole('textbox', { name: 'Note' }).fill('on the way')
    await page.keyboard.press('Enter')
    await tab.getByRole('link', { name: 'Kiosk' }).waitFor()
    await tab.getByText('on the way').waitFor()
    const path = { ...bank.path, transactionId }
    await alice.client.updateTransaction({ path, body: { name: 'Market' } })
    const unchanged = tab.waitForResponse(
      (answer) => answer.url().endsWith('/api/overview') && answer.status() === 304,
    )
    await tab.clock.fastForward(20_000)
    await seeAgain(tab)
    await tab.getByRole('link', { name: 'Market' }).waitFor()
    await unchanged
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })
})

test('a field that another device has changed is not overwritten in silence', async () => {
  const frank = await coffer.person()
  const { bank, spendingId, fundingScheduleId, transactionId } = await createHousehold(frank)
  const { client, cookie } = frank
  const url = `${coffer.baseUrl}/envelopes/${spendingId}`
  await view({ url, cookie }, async (page) => {
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const anyway = page.getByRole('button', { name: 'Save mine all the same' })
    const said = page.getByText(/^Changed meanwhile, in another window/)
    const edit = page.getByRole('button', { name: 'Edit', exact: true })
    await edit.click()
    const target = page.getByLabel('Amount needed')
    await target.fill('450')
    const path = { ...bank.path, spendingId }
    await client.updateSpending({ path, body: { targetAmount: 50_000, name: 'Food' } })
    await save.click()
    expect(await said.textContent()).toContain('device: “Amount needed” is now $500.00. Your')
    expect(await target.inputValue()).toBe('450')
    await takePicture(page, 'web-meanwhile')
    await page.getByRole('button', { name: 'Take the change' }).click()
    expect(await target.inputValue()).toBe('500.00')
    await target.fill('460')
    await save.click()
    await target.waitFor({ state: 'detached' })
    const { targetAmount, name } = (await client.getSpending({ path })).data
    expect([targetAmount, name]).toEqual([46_000, 'Food'])
    await page.goto(`${coffer.baseUrl}/schedules`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Expected pay', { exact: true }).fill('1900')
    const payday = { ...bank.path, fundingScheduleId }
    await client.updateFundingSchedule({ path: payday, body: { estimatedDeposit: 200_000 } })
    await save.click()
    await page.getByText('“Expected pay” is now $2,000.00').first().waitFor()
    await anyway.click()
    await said.waitFor({ state: 'detached' })
    const { estimatedDeposit } = (await client.getFundingSchedule({ path: payday })).data
    expect(estimatedDeposit).toBe(190_000)
    await page.goto(`${coffer.baseUrl}/transactions/${transactionId}`)
    await page.getByLabel('Note').fill('for two')
    const paid = { ...bank.path, transactionId }
    await client.updateTransaction({ path: paid, body: { notes: 'for three', name: 'Corner' } })
    await save.click()
    expect(await said.textContent()).toContain('“Note” is now for three')
    await anyway.click()
    await said.waitFor({ state: 'detached' })
    const { notes, name: called } = (await client.getTransaction({ path: paid })).data
    expect([notes, called]).toEqual(['for two', 'Corner'])
  })
})

test('neither is one of a bank account, its bank, a rule or a webhook', async () => {
  const grace = await coffer.person()
  const { bank, linkId } = await createHousehold(grace)
  const { client, cookie } = grace
  const contains = { kind: 'contains', text: 'shop' } as const
  const rule = { name: 'Shops', conditions: { originalName: contains }, actions: { name: 'Shop' } }
  const { ruleId } = (await client.createRule({ body: rule })).data
  const url = 'https://receiver.example/'
  const { webhookId } = (await client.createWebhook({ body: { url } })).data
  const path = { linkId, ruleId, webhookId, ...bank.path }
  const balances = { currentBalance: 90_000, availableBalance: 85_000 }
  const cases = [
    {
      opened: ['/accounts', 'Edit Checking', 'Posted balance', '500'],
      change: () => client.updateBankAccount({ path, body: { name: 'Wallet', ...balances } }),
      said: '“Available” is now $850.00 and “Posted balance” is now $900.00',
      read: async () => (await client.getBankAccount({ path })).data,
      saved: { name: 'Wallet', currentBalance: 50_000, availableBalance: 45_000 },
    },
    {
      opened: ['/accounts', 'Edit the bank: First Bank', 'Note', 'mine'],
      change: () =>
        client.updateLink({ path, body: { institutionName: 'Bank', description: '2' } }),
      said: '“Note” is now 2',
      read: async () => (await client.getLink({ path })).data,
      saved: { institutionName: 'Bank', description: 'mine' },
    },
    {
      opened: ['/rules', 'Edit Shops', 'Name', 'Mine'],
      change: () =>
        client.updateRule({ path, body: { name: 'Shopping', actions: { name: 'Theirs' } } }),
      said: '“Set” is now name “Theirs”',
      read: async () => (await client.listRules()).data.rules[0],
      saved: { name: 'Shopping', conditions: rule.conditions, actions: { name: 'Mine' } },
    },
    {
      opened: [`/webhooks/${webhookId}`, 'Edit', 'Description', 'mine'],
      change: () => client.updateWebhook({ path, body: { url: `${url}2`, description: 'theirs' } }),
      said: '“Description” is now theirs',
      read: async () => (await client.getWebhook({ path })).data,
      saved: { url: `${url}2`, description: 'mine', types: [] },
    },
  ]
  await view({ url: coffer.baseUrl, cookie }, async (page) => {
    for (const { opened, change, said, read, saved } of cases) {
      const [screen = '', edit = '', label = '', typed = ''] = opened
      await page.goto(coffer.baseUrl + screen)
      await page.getByRole('button', { name: edit, exact: true }).click()
      const field = page.getByRole('dialog').getByLabel(label, { exact: true })
      await field.fill(typed)
      await change()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText(said).first().waitFor()
      expect(await field.inputValue()).toBe(typed)
      await page.getByRole('button', { name: 'Save mine all the same' }).click()
      await field.waitFor({ state: 'detached' })
      expect(await read()).toMatchObject(saved)
    }
  })
})

test('without the stream, the changes of other devices show at the next renewal', async () => {
  const erin = await coffer.person()
  const { bank } = await createHousehold(erin)
  const viewing = { url: `${coffer.baseUrl}/icon.svg`, cookie: erin.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    await page.clock.install()
    await page.route(/changes.stream/, (route) => route.fulfill({ status: 429, body: '{}' }))
    const refused = page.waitForResponse((answer) => answer.status() === 429)
    await page.goto(coffer.baseUrl)
    await Promise.all([refused, page.getByText('Corner').waitFor()])
    const date = new Date().toISOString()
    await erin.client.createTransaction({ ...bank, body: { name: 'Florist', amount: 900, date } })
    await page.clock.fastForward(20_000)
    await page.getByText('Florist').waitFor()
  })
})

/** Returns the streams of changes that the tabs of a browser open from now on. */
function streamsOf(context: BrowserContext): Request[] {
  const streams: Request[] = []
  context.on('request', (request) => isOfStream(request) && streams.push(request))
  return streams
}

test.each([
  ['by Web Locks', (url: string) => url],
  ['without TLS, by a lease', atHome],
])('two tabs hold one stream, and a purchase shows on another device: %s', async (_, at) => {
  const dora = await coffer.person()
  const { bank } = await createHousehold(dora)
  const base = at(coffer.baseUrl)
  const viewing = { url: `${base}/transactions`, cookie: dora.cookie }
  await view({ ...viewing, url: `${base}/icon.svg` }, async (page) => {
    const context = page.context()
    const streams = streamsOf(context)
    const tabs = await Promise.all([context.newPage(), context.newPage()])
    const lead = context.waitForEvent('request', isOfStream)
    const expectPayment = (name: string) =>
      Promise.all(tabs.map((one) => one.getByRole('link', { name }).waitFor()))
    await Promise.all(tabs.map((one) => one.goto(viewing.url)))
    const leader = (await lead).frame().page()
    await expectPayment('Corner')
    await view(viewing, async (phone) => {
      await phone.getByRole('button', { name: 'Add' }).click()
      const dialog = phone.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Bakery')
      await dialog.getByLabel('Amount').fill('4.20')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await phone.getByRole('link', { name: 'Bakery' }).waitFor()
    })
    await expectPayment('Bakery')
    expect(streams).toHaveLength(1)
    // The next tab leads, and goes on where the stream was.
    const next = context.waitForEvent('request', isOfStream)
    await leader.close()
    tabs.splice(tabs.indexOf(leader), 1)
    expect(new URL((await next).url()).searchParams.get('after')).not.toBe('latest')
    const date = new Date().toISOString()
    await dora.client.createTransaction({ ...bank, body: { name: 'Florist', amount: 900, date } })
    await expectPayment('Florist')
  })
})

test('answers that are asked for before the app is there are asked for once', async () => {
  const gina = await coffer.person()
  await createHousehold(gina)
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: gina.cookie }, async (page) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(coffer.baseUrl)
    await page.getByText('Corner').waitFor()
    const early = asked.filter((path) => /(me|overview)$/.test(path))
    expect(early.sort()).toEqual(['/api/overview', '/api/users/me'])
  })
})

/** The page of a newer build. */
const newer = '<!doctype html><script type="module" src="/assets/index-newer.js"></script>'

test('a screen that cannot be loaded says why: no server, or an upgrade', async () => {
  const hugo = await coffer.person()
  await createHousehold(hugo)
  const viewing = { url: `${coffer.baseUrl}/tags`, cookie: hugo.cookie, hasOutage: true }
  await view(viewing, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await page.route(/assets\/rules-[\w-]+\.js/, (route) => route.abort())
    await page.route(`${coffer.baseUrl}/`, (route) => route.abort(), { times: 1 })
    await page.getByRole('link', { name: 'Rules' }).first().click()
    const alert = page.getByRole('alert')
    await alert.getByText('so this page cannot be loaded').waitFor()
    await page.route(`${coffer.baseUrl}/`, (route) => route.fulfill({ body: newer }))
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.getByText('Coffer was upgraded meanwhile').waitFor()
    await takePicture(page, 'web-part-gone')
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
  })
})

test('an upgrade of the server is noticed when its tab is seen again', async () => {
  const bob = await coffer.person()
  await createHousehold(bob)
  await view({ url: `${coffer.baseUrl}/tags`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await page.route(`${coffer.baseUrl}/`, (route) => route.fulfill({ body: newer }))
    await seeAgain(page)
    await page.getByText('A newer version of Coffer is here.').waitFor()
    await takePicture(page, 'web-upgraded')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByText('A newer version').waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
  })
})

test('envelopes are shown as a table with sums, and the choice stays', async () => {
  const carol = await coffer.person()
  await createHousehold(carol)
  await viewBypassed({ url: `${coffer.baseUrl}/envelopes`, cookie: carol.cookie }, async (page) => {
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Groceries' })
    await row.waitFor()
    const [name, kind, , , held, needed] = await row.getByRole('cell').allTextContents()
    expect([name, kind, held, needed]).toEqual(['Groceries', 'Expense', '$120.00', '$400.00'])
    await expectLooks(page, 'web-envelopes-table')
    await page.getByRole('link', { name: 'Groceries' }).click()
    await page.getByRole('heading', { level: 1, name: 'Groceries' }).waitFor()
  })
})

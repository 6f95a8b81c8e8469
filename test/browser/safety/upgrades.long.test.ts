import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useBrowser } from '../browser.ts'
import { useNewerBuild } from '../newer-build.ts'
import { startPathProxy } from '../path-proxy.ts'
import { createHousehold } from '../web/household.ts'

const { view } = useBrowser()
const proxy = started(() => startPathProxy('/coffer'))
const coffer = started(() => startCoffer({ COFFER_EXTERNAL_URL: proxy.url }))
const newer = useNewerBuild()

const notice = (page: Page) => page.getByText('A newer version of Coffer is here.')

/** Types a new transaction. */
async function typePayment(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByLabel('Amount').fill('4.20')
}

const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()

test('a page of a former build saves nothing in a newer server, and keeps entries', async () => {
  const alice = await coffer.person()
  const { bank } = await createHousehold(alice)
  await using upgraded = await coffer.startGateway({ webFolder: newer })
  proxy.forwardTo(coffer.baseUrl)
  const viewing = { url: `${proxy.url}/transactions`, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    const sent: string[] = []
    page.on('request', (one) => one.method() === 'POST' && sent.push(one.url()))
    await typePayment(page, 'Bakery')
    proxy.forwardTo(upgraded.baseUrl)
    await save(page)
    const refusal = page.getByText(
      'Coffer was upgraded meanwhile and takes nothing more from this page.',
    )
    await refusal.waitFor()
    await notice(page).waitFor({ state: 'attached' })
    // A former replica would take it: the page knows better.
    proxy.forwardTo(coffer.baseUrl)
    await save(page)
    await refusal.waitFor()
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Bakery')
    expect(sent).toHaveLength(1)
    expect((await alice.client.listTransactions(bank)).data).toHaveLength(1)
    page.on('dialog', (question) => void question.accept())
    proxy.forwardTo(upgraded.baseUrl)
    await page.goto(`${proxy.url}/icon.svg`)
    await page.goto(viewing.url)
    for (const server of [upgraded, coffer]) {
      proxy.forwardTo(server.baseUrl)
      await typePayment(page, 'Florist')
      await save(page)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(await notice(page).count()).toBe(0)
  })
})

test('a payment whose answer was lost in the upgrade is entered once', async () => {
  const carol = await coffer.person()
  const { bank } = await createHousehold(carol)
  await using upgraded = await coffer.startGateway({ webFolder: newer })
  const names = async () => (await carol.client.listTransactions(bank)).data.map(({ name }) => name)
  proxy.forwardTo(coffer.baseUrl)
  const viewing = { url: `${proxy.url}/transactions`, cookie: carol.cookie, hasOutage: true }
  await view(viewing, async (page) => {
    await typePayment(page, 'Bakery')
    const release = proxy.hold('/transactions')
    await save(page)
    await eventually(names, (all) => all.includes('Bakery'))
    proxy.forwardTo(upgraded.baseUrl)
    release(true)
    // The browser repeats it by itself on a connection that it has used before, else the client.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await names()).filter((name) => name === 'Bakery')).toHaveLength(1)
  })
})

test('a page reloads by itself once, also if it gets the former page again', async () => {
  const bob = await coffer.person()
  await createHousehold(bob)
  proxy.forwardTo(coffer.baseUrl)
  await view({ url: `${proxy.url}/tags`, cookie: bob.cookie }, async (page) => {
    const title = page.getByRole('heading', { level: 1, name: 'Tags' })
    await title.waitFor()
    await page.route(`${proxy.url}/`, (route) => route.fulfill({ body: 'newer' }))
    const reach = () => page.evaluate('dispatchEvent(new Event("coffer-reached"))')
    const reloaded = page.waitForEvent('load')
    await reach()
    await reloaded
    await title.waitFor()
    await reach()
    await notice(page).waitFor()
    await page.getByRole('link', { name: 'Rules' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    expect(await notice(page).count()).toBe(1)
  })
})

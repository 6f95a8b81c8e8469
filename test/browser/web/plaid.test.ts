import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { aggregatorSettings } from '@coffer/test/providers/linked-aggregator.ts'
import { startPlaid } from '@coffer/test/providers/plaid/plaid.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'

const { view, viewBypassed } = useBrowser()

const plaid = started(() => startPlaid())
// Without webhooks a new link is synced at once.
const coffer = started(() =>
  startCoffer({ ...aggregatorSettings(plaid), COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'false' }),
)

test('a bank is linked by Plaid Link, and renewed when it asks for a sign-in', async () => {
  const alice = await coffer.person()
  const names = async () => {
    const { data } = await alice.client.listBankAccounts()
    return data?.map(({ name }) => name)
  }
  const viewing = { url: `${coffer.baseUrl}/accounts`, cookie: alice.cookie, origins: [plaid.url] }
  await view(viewing, async (page) => {
    const link = page.frameLocator('iframe[title="Plaid Link"]')
    const next = (name: string) => link.getByRole('button', { name }).click()
    await page.getByRole('link', { name: 'Connect a bank (Plaid)' }).click()
    await next('Leave')
    await page.getByText('Nothing has changed').waitFor()
    await takePicture(page, 'web-connect')
    await page.getByRole('button', { name: 'Open it again' }).click()
    await next('Sign in')
    await link.getByLabel('Plaid Saving').uncheck()
    await next('Link these')
    await page.getByRole('heading', { level: 1, name: 'Your plan' }).waitFor()
    expect(await names()).toEqual(['Plaid Checking'])
    const [item] = plaid.items()
    if (item) item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
    await page.getByRole('link', { name: 'Accounts' }).first().click()
    await page.getByRole('button', { name: 'Sync now' }).click()
    const renew = page.getByRole('link', { name: 'Sign in at the bank again' })
    await renew.waitFor()
    await takePicture(page, 'web-link-broken')
    await renew.click()
    // The bank's own sign-in leaves the page, and comes back to another address with this token.
    await link.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(`${coffer.baseUrl}/aggregator/oauth-return?oauth_state_id=1`)
    await link.getByLabel('Plaid Saving').uncheck()
    await next('Link these')
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    await renew.waitFor({ state: 'detached' })
    expect(item?.error).toBeNull()
    expect(await names()).toEqual(['Plaid Checking'])
    await page.getByRole('link', { name: 'Choose its accounts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Renew the connection' }).waitFor()
    await next('Sign in')
    await next('Link these')
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    await page.getByRole('link', { name: 'Plaid Saving', exact: true }).waitFor()
    expect(await names()).toEqual(['Plaid Checking', 'Plaid Saving'])
  })
})

test('the document with Plaid Link is accessible', async () => {
  const { cookie } = await coffer.person()
  const viewing = { url: `${coffer.baseUrl}/links/connect`, cookie, origins: [plaid.url] }
  await viewBypassed(viewing, async (page) => {
    const link = page.frameLocator('iframe[title="Plaid Link"]')
    await link.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Nothing has changed').waitFor()
    expect(await axeFaults(page)).toEqual([])
  })
})

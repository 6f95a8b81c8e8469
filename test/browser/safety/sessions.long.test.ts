import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { setUpSecondFactor } from '@coffer/test/harness/second-factor.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from '../web/household.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

test('tabs notice by themselves that their session has ended, and keep what is typed', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const viewing = { url: `${coffer.baseUrl}/transactions`, cookie: alice.cookie }
  await view({ ...viewing, hasRefusals: true }, async (page) => {
    await page.getByRole('link', { name: 'Corner' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${coffer.baseUrl}/envelopes`)
    await other.getByRole('link', { name: 'Groceries' }).waitFor()
    await page.getByRole('button', { name: 'Add' }).click()
    const form = page.getByRole('dialog', { name: 'Add a transaction' })
    await form.getByLabel('Name').fill('Bookshop')
    await alice.session.signOut()
    const [over, overOther] = [page, other].map((tab) =>
      tab.getByRole('dialog', { name: 'You were signed out' }),
    )
    await Promise.all([over?.waitFor(), overOther?.waitFor()])
    await over?.getByText('or from another device').waitFor()
    await over?.getByLabel('Password', { exact: true }).fill(alice.password)
    await over?.getByRole('button', { name: 'Sign in', exact: true }).click()
    await over?.waitFor({ state: 'detached' })
    expect(await form.getByLabel('Name').inputValue()).toBe('Bookshop')
    await overOther?.waitFor({ state: 'detached' })
    await other.getByRole('link', { name: 'Groceries' }).waitFor()
  })
})

test('a session that ends soon is replaced over the screen, by password and code', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const [code = ''] = await setUpSecondFactor(alice)
  const viewing = { url: `${coffer.baseUrl}/transactions`, cookie: alice.cookie }
  await view({ ...viewing, hasRefusals: true }, async (page) => {
    const me = '**/api/users/me'
    await page.route(me, async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), etag: '' } })
      const sessionExpiresAt = new Date(Date.now() + 3_600_000).toISOString()
      await route.fulfill({ response, json: { ...(await response.json()), sessionExpiresAt } })
    })
    await page.reload()
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('Corner')
    const renew = page.getByRole('button', { name: 'Sign in again' })
    await renew.click()
    const over = page.getByRole('dialog', { name: 'Sign in again' })
    await over.getByRole('button', { name: 'Later' }).click()
    await over.waitFor({ state: 'detached' })
    await renew.click()
    await over.getByLabel('Password', { exact: true }).fill(alice.password)
    await page.unroute(me)
    await over.getByRole('button', { name: 'Sign in', exact: true }).click()
    const asked = page.getByRole('dialog', { name: /Sign in again|You were signed out/ })
    await asked.getByLabel('Code of 6 digits').fill(code)
    await asked.getByRole('button', { name: 'Continue' }).click()
    await asked.waitFor({ state: 'detached' })
    await renew.waitFor({ state: 'detached' })
    expect(await search.inputValue()).toBe('Corner')
  })
})

test('a session that has ended says on which day, or that another tab has ended it', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const viewing = { url: `${coffer.baseUrl}/settings`, cookie: alice.cookie, locale: 'de-DE' }
  await view({ ...viewing, hasRefusals: true }, async (page) => {
    await page.route('**/api/users/me', async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), etag: '' } })
      const sessionExpiresAt = '2026-01-05T12:00:00Z'
      await route.fulfill({ response, json: { ...(await response.json()), sessionExpiresAt } })
    })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    await alice.session.signOut()
    const over = page.getByRole('dialog', { name: 'Du wurdest abgemeldet' })
    await over.getByText('Deine Sitzung endete am 5. Jan. 2026, 06:00, 14 Tage nach').waitFor()
    await takePicture(page, 'web-session-ended')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'web-session-ended-phone')
  })
  const { cookie } = await coffer.person()
  // A request of the first tab may meet the end of its session.
  const first = { url: `${coffer.baseUrl}/tags`, cookie, locale: 'de-DE', hasRefusals: true }
  await view(first, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Schlagwörter' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${coffer.baseUrl}/rules`)
    await other.getByRole('button', { name: 'Abmelden' }).first().click()
    await page.getByText('Du wurdest in einem anderen Tab abgemeldet.').waitFor()
  })
})

/** Signs in as a person over the screen of a tab, whose dialog names the reason. */
async function signInOver(tab: Page, { password }: { password: string }, reason: string) {
  const over = tab.getByRole('dialog', { name: 'You were signed out' })
  await over.getByText(reason).waitFor()
  expect(await tab.getByRole('main').isVisible()).toBe(false)
  await over.getByLabel('Password', { exact: true }).fill(password)
  await over.getByRole('button', { name: 'Sign in', exact: true }).click()
  await over.waitFor({ state: 'detached' })
}

test('neither Escape nor a shortcut opens the screen of a session that has ended', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const viewing = { url: `${coffer.baseUrl}/envelopes`, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    const figure = page.getByText('$120.00').first()
    await figure.waitFor()
    await alice.session.signOut()
    await page.getByRole('dialog', { name: 'You were signed out' }).waitFor()
    for (const key of ['Escape', 'Escape', 'Escape', 'Control+K']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Sign in as another person' }).focus()
    for (const key of ['Escape', 'Escape', 'g', 'h']) await page.keyboard.press(key)
    expect(await figure.isVisible()).toBe(false)
    expect(new URL(page.url()).pathname).toBe('/envelopes')
    await signInOver(page, alice, 'or from another device')
    expect(await figure.isVisible()).toBe(true)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('what is typed stays, unseen, when another tab signs out, or another person in', async () => {
  const [alice, bob] = [await coffer.person(), await coffer.person()]
  await createHousehold(alice)
  const viewing = { url: `${coffer.baseUrl}/rules`, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    await page.getByRole('button', { name: 'New rule' }).click()
    const form = page.getByRole('dialog', { name: 'New rule' })
    await form.getByLabel('Text: Name at the bank').fill('corner')
    await form.getByLabel('Name', { exact: true }).fill('Shop')
    await form.getByLabel('Name of the rule').fill('Corner')
    const other = await page.context().newPage()
    await other.goto(`${coffer.baseUrl}/tags`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await signInOver(page, alice, 'You signed out in another tab.')
    // The tab does not hear of the next sign-in before it saves: its reads wait.
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/**', async (route) => {
      if (route.request().method() === 'GET') await saving.promise
      await route.fallback()
    })
    const [name = '', value = ''] = bob.cookie.split('=')
    await page.context().addCookies([{ name, value, url: coffer.baseUrl }])
    await form.getByRole('button', { name: 'Save' }).click()
    saving.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    await signInOver(page, alice, 'Another person has signed in, in another tab.')
    expect(await bob.get('/rules')).toMatchObject({ rules: [] })
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    expect(await alice.get('/rules')).toMatchObject({ rules: [{ name: 'Corner' }] })
    // Without entries the tab opens the app for the person who has signed in.
    await other.goto(`${coffer.baseUrl}/login`)
    await other.getByLabel('Email address').fill(bob.email)
    await other.getByLabel('Password', { exact: true }).fill(bob.password)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor({ state: 'detached' })
    expect(await page.getByText('Corner').count()).toBe(0)
  })
})

test('a sign-out asks before it closes a form with entries', async () => {
  const { cookie } = await coffer.person()
  await view({ url: `${coffer.baseUrl}/settings`, cookie, hasRefusals: true }, async (page) => {
    await page.getByLabel('First name').fill('Ann')
    await page.getByRole('button', { name: 'Sign out' }).click()
    const asked = page.getByRole('dialog', { name: 'Discard your entries?' })
    await asked.getByRole('button', { name: 'Keep editing' }).click()
    expect(await page.getByLabel('First name').inputValue()).toBe('Ann')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await asked.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })
})

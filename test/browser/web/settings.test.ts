import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { statusOf } from '@coffer/test/harness/person.ts'
import { codeFor } from '@coffer/test/harness/second-factor.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from '../browser.ts'
import { atHome } from '../launch.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Reloads a page with an edited form: the browser asks first. */
async function expectQuestion(page: Page) {
  await page.getByLabel('First name').fill('Ada')
  const asked = page.waitForEvent('dialog')
  const reloaded = page.reload()
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.accept()
  await reloaded
}

test('a person sets up a second factor, has a key, and deletes the account', async () => {
  const alice = await coffer.person()
  const url = `${atHome(coffer.baseUrl)}/settings`
  const viewing = { url, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    const card = (name: string) => page.getByRole('region', { name, exact: true })
    await card('Sessions').getByText('A program or an unknown browser (this device)').waitFor()
    await card('Second factor').getByLabel('Present password').fill(alice.password)
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await takePicture(page, 'web-second-factor')
    const key = await card('Second factor').locator('code').first().textContent()
    await page.getByLabel('Code of 6 digits').fill(codeFor(key ?? ''))
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await page.getByText('Sign-in needs a code of your authenticator app.').waitFor()
    await card('API keys').getByLabel('Name').fill('script')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Copy: API keys' }).click()
    await page.getByText('Copied.').waitFor()
    const secret = await card('API keys').locator('code').textContent()
    const client = alice.connect({ key: secret ?? '' })
    expect(await statusOf(client.listLinks())).toBe(200)
    await page.getByRole('button', { name: 'Revoke script' }).click()
    await page.getByRole('button', { name: 'Revoke script' }).waitFor({ state: 'detached' })
    expect(await statusOf(client.listLinks())).toBe(401)
    await expectQuestion(page)
    await page.getByRole('button', { name: 'Delete the account' }).click()
    await page.getByRole('dialog').getByLabel('Present password').fill(alice.password)
    await page.getByRole('button', { name: 'Delete everything' }).click()
    await page.getByText('Your account is deleted').waitFor()
  })
})

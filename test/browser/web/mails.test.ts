import { started } from '@coffer/host/testing/started'
import { newBetaCode } from '@coffer/test/harness/beta-code.ts'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { startMailSink } from '@coffer/test/providers/smtp.ts'
import { test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectLooks, useBrowser } from '../browser.ts'

const { viewBypassed } = useBrowser()

const sink = started(() => startMailSink())
const coffer = started(() =>
  startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_BETA_CODES_ENABLED: 'true',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  }),
)

const email = 'ada@example.com'

/** Opens the link of the newest mail with a subject. */
async function follow(page: Page, subject: string): Promise<void> {
  const { text } = await sink.mailTo(email, subject)
  const [, path = ''] = /https?:\/\/[^/]+(\/\S+)/.exec(text) ?? []
  await page.goto(`${coffer.baseUrl}${path}`)
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a person registers by a beta code, and comes in by the links of mails', async () => {
  const code = await newBetaCode(coffer)
  const viewing = { url: `${coffer.baseUrl}/register`, hasRefusals: true }
  await viewBypassed(viewing, async (page) => {
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('a long enough password')
    await page.getByLabel('Beta code').fill('NOT-A-CODE')
    await press('Create a login')
    await page.locator('[name=betaCode][aria-invalid]').waitFor()
    await expectLooks(page, 'web-beta-code')
    await page.getByLabel('Beta code').fill(code)
    await press('Create a login')
    await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
    await follow(page, 'Verify your email address')
    await expectLooks(page, 'page-verify')
    await press('Verify email address')
    await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
    await expectLooks(page, 'page-verified')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page, 'a long enough password')
    await page.getByRole('heading', { name: 'Your first bank account' }).waitFor()
    await press('Sign out')
    await page.getByRole('link', { name: 'Forgotten your password?' }).click()
    await page.getByRole('heading', { name: 'Ask for a new password' }).waitFor()
    await page.getByLabel('Email address').fill(email)
    await press('Mail a link for a new password')
    await page.getByText('a mail with a link is on its way').waitFor()
    await follow(page, 'Reset your password')
    await expectLooks(page, 'page-reset')
    await page.getByLabel('New password, 8 to 72 characters').fill('another long password')
    await page.getByLabel('The new password again').fill('another long password')
    await press('Set the new password')
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    await follow(page, 'Reset your password')
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    await expectLooks(page, 'page-expired')
    await page.goto(`${coffer.baseUrl}/login`)
    await signIn(page, 'another long password')
    await page.getByRole('heading', { name: 'Your first bank account' }).waitFor()
  })
})

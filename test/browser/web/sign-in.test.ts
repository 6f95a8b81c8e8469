import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { clientOf } from '@coffer/test/harness/person.ts'
import { setUpSecondFactor } from '@coffer/test/harness/second-factor.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useBrowser } from '../browser.ts'
import { atHome } from '../launch.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer({ COFFER_PROOF_OF_WORK_ENABLED: 'true' }))

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a stranger registers with proof of work, and comes back with a second factor', async () => {
  const email = 'ada@example.com'
  const password = 'a long enough password'
  const home = atHome(coffer.baseUrl)
  await view({ url: `${home}/register`, hasRefusals: true }, async (page) => {
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.getByRole('button', { name: 'Create a login' }).click()
    await page.getByText('Fill this in.').first().waitFor()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Timezone').selectOption('America/Chicago')
    await page.getByRole('button', { name: 'Create a login' }).click()
    await page.getByRole('heading', { name: 'Your first bank account' }).waitFor()
    await page.getByLabel('Bank', { exact: true }).fill('First Bank')
    await page.getByLabel('Money in it now').fill('1,000.00+250.50')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Your plan' }).waitFor()
    await page.getByRole('link', { name: 'Later' }).click()
    await page.getByText('$1,250.50').first().waitFor()
    const [cookie] = await page.context().cookies()
    const session = clientOf(coffer.baseUrl, { session: `${cookie?.name}=${cookie?.value}` })
    const [code = ''] = await setUpSecondFactor({ session, password })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('link', { name: 'Create a login' }).waitFor()
    await page.goto(`${home}/more`)
    await signIn(page, email, 'not the password')
    expect(await page.getByRole('alert').textContent()).toContain('password')
    await signIn(page, email, password)
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
    // As apps and people group what is read aloud.
    await page.getByLabel('Recovery code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    // Where the sign-in began.
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
    await page.getByText('9 recovery codes are left.').waitFor()
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.waitForURL(/\/settings#second-factor$/)
    const card = page.getByRole('region', { name: 'Second factor', exact: true })
    await card.getByText('9 recovery codes are left.').waitFor()
  })
})

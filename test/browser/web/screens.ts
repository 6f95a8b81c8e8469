import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { waitForAnswers } from '../browser.ts'
import type { Household } from './household.ts'

/** Addresses of the screens with their headings; IDs of the household are filled in. */
const screens = `
/                  Home
/transactions      Transactions
/transactions/$transactionId  Transaction
/envelopes         Envelopes
/envelopes/$spendingId  Groceries
/schedules         Paydays
/forecast          Forecast
/history           History
/imports           Imports
/rules             Rules
/tags              Tags
/accounts          Accounts
/settings          Settings
/licences          Licences
/webhooks          Webhooks
/account/subscribe  Subscription
/more              More
/help              Help
/help/bills        Bills, early and late
/setup/plan        Your plan
/login/verify      Verify your address
/setup             Another bank account
/nothing/here      There is no such page
`

/** Returns the paths of the screens with their headings; without a household those of no ID. */
export function screensOf(household: Household | null): { path: string; heading: string }[] {
  return screens
    .trim()
    .split('\n')
    .filter((row) => household !== null || !row.includes('$'))
    .map((row) => row.split(/ {2,}/))
    .map(([path = '', heading = '']) => ({
      path: path.replace(/\$(\w+)/g, (_, name: keyof Household) => String(household?.[name])),
      heading,
    }))
}

/** Opens every reason (`Why?`) of a screen, and all else that a button discloses. */
export async function openDisclosures(page: Page): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('main button[aria-expanded=false]').forEach((one) => one.click())`,
  )
  await waitForAnswers(page)
}

/** Opens a screen as after a reload. Returns the name of its picture. */
export async function visit(
  page: Page,
  { baseUrl, path, heading }: { baseUrl: string; path: string; heading: string },
): Promise<string> {
  await page.goto(`${baseUrl}${path}`)
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await waitForAnswers(page)
  expect(await page.title()).toBe(`${heading} – Coffer`)
  return `web${path.replace(/_.*/, '').replaceAll('/', '-')}`
}

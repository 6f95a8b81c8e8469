import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, overflowOf, takePicture, useBrowser } from '../browser.ts'
import { createHousehold, type Household } from './household.ts'

/** Addresses of the screens with their headings; IDs of the household are filled in. */
const screens = `
/                  Home
/transactions      Transactions
/transactions/$transactionId  Transaction
/envelopes         Envelopes
/envelopes/$spendingId  Groceries
/schedules         Paydays
/forecast          Forecast
/imports           Imports
/accounts          Accounts
/settings          Settings
/account/subscribe  Subscription
/more              More
/setup/plan        Your plan
/login/verify      Verify your address
/setup             Another bank account
/nothing/here      There is no such page
`

const { viewBypassed } = useBrowser()
let alice: Person
let household: Household

const coffer = started(() => startCoffer())

beforeAll(async () => {
  alice = await coffer.person()
  household = await createHousehold(alice)
})

const rows = () =>
  screens
    .trim()
    .split('\n')
    .map((row) => row.split(/ {2,}/) as [string, string])
    .map(([path, heading]) => [
      path.replace(/\$(\w+)/g, (_, name: keyof Household) => String(household[name])),
      heading,
    ])

async function visit(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(`${coffer.baseUrl}${path}`)
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.title()).toBe(`${heading} – Coffer`)
}

test('every screen works on reload, fits and is accessible, light and dark', async () => {
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: alice.cookie }
  await viewBypassed(viewing, async (page) => {
    for (const [path = '', heading = ''] of rows()) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 900 })
      await visit(page, path, heading)
      const shown = `web${path.replace(/_.*/, '').replaceAll('/', '-')}`
      await takePicture(page, shown)
      expect([path, await axeFaults(page)]).toEqual([path, []])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 360, height: 800 })
      expect([path, await overflowOf(page)]).toEqual([path, 0])
      await takePicture(page, `${shown}-phone`)
      expect([path, await axeFaults(page)]).toEqual([path, []])
    }
  })
})

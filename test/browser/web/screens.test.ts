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
/more              More
/setup             Your first bank account
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

async function visit(page: Page, path = '/', heading = 'Home'): Promise<void> {
  await page.goto(`${coffer.baseUrl}${path}`)
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.title()).toBe(`${heading} – Coffer`)
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
}

test.each([
  ['light', 1280],
  ['dark', 390],
] as const)(
  'every screen works on reload and is accessible: %s, %d pixels',
  async (scheme, width) => {
    const viewing = { url: coffer.baseUrl, cookie: alice.cookie, scheme, width }
    await viewBypassed(viewing, async (page) => {
      for (const [path = '', heading] of rows()) {
        await visit(page, path, heading)
        expect([path, await axeFaults(page)]).toEqual([path, []])
        await takePicture(page, `web${path.replaceAll('/', '-')}-${scheme}`)
      }
    })
  },
)

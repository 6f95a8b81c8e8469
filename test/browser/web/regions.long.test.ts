import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { overflowOf, takePicture, useBrowser, waitForAnswers } from '../browser.ts'
import { createHousehold } from './household.ts'
import { screensOf, visit } from './screens.ts'

const { view, viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

test.each(['de_DE', 'ja_JP', 'ar_AE', 'hi_IN'])(
  'every screen of a household of %s fits a phone',
  async (locale) => {
    const person = await coffer.person({ locale, timezone: 'Europe/Berlin' })
    const household = await createHousehold(person)
    const payment = { amount: 123_456, date: new Date().toISOString() }
    for (const name of ['Überweisung Straße', 'スーパー', 'متجر الزاوية', 'किराना दुकान']) {
      await person.client.createTransaction({ ...household.bank, body: { ...payment, name } })
    }
    const viewing = { url: `${coffer.baseUrl}/login`, cookie: person.cookie }
    await viewBypassed(viewing, async (page) => {
      for (const { path, heading } of screensOf(household)) {
        await page.setViewportSize({ width: 1280, height: 900 })
        const shown = await visit(page, { ...coffer, path, heading })
        await takePicture(page, `${shown}-${locale}`)
        await page.setViewportSize({ width: 360, height: 800 })
        // Tables and charts change their form after the width.
        await waitForAnswers(page)
        expect([path, await overflowOf(page)]).toEqual([path, 0])
        await takePicture(page, `${shown}-${locale}-phone`)
        await page.evaluate('document.documentElement.dir = "rtl"')
        expect([path, 'rtl', await overflowOf(page)]).toEqual([path, 'rtl', 0])
        await takePicture(page, `${shown}-${locale}-rtl`)
      }
    })
  },
)

test.each([
  ['en_GB', 'Current'],
  ['en_US', 'Checking'],
])('of %s an everyday account is called %s', async (locale, kind) => {
  const { cookie } = await coffer.person({ locale, timezone: 'Europe/London' })
  await view({ url: `${coffer.baseUrl}/setup`, cookie }, async (page) => {
    const chosen = page.getByLabel('Kind of account').locator('option:checked')
    expect(await chosen.textContent()).toBe(kind)
    expect(await page.getByLabel('Name of the account').inputValue()).toBe(kind)
  })
})

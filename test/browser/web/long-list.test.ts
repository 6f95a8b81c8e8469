import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { useBrowser } from '../browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

test('a change far down a long list reads the pages in view again, and no others', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount()
  // Newest first: Shop 700 is the first line.
  const shop = (at: number) => ({
    name: `Shop ${at}`,
    amount: 100,
    date: new Date(Date.UTC(2026, 0, 1, 12) + Math.floor(at / 10) * 86_400_000).toISOString(),
  })
  for (const first of [1, 351]) {
    const transactions = Array.from({ length: 350 }, (_, at) => shop(first + at))
    await alice.client.createTransactions({ ...bank, body: { transactions } })
  }
  const url = `${coffer.baseUrl}/transactions`
  await view({ url, cookie: alice.cookie }, async (page) => {
    const asked = new Set<string>()
    await page
      .getByRole('link', { name: /^Shop 70\d$|^Shop 700$/ })
      .first()
      .waitFor()
    const end = page.getByText('That is all.')
    while (!(await end.isVisible())) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    }
    await page.getByRole('link', { name: 'Shop 5', exact: true }).waitFor()
    page.on('request', (request) => {
      if (/\/transactions\?/.test(request.url())) asked.add(request.url())
    })
    await page.getByRole('button', { name: 'Change name and note of Shop 5' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Market')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Market', exact: true }).waitFor()
    expect([...asked].filter((one) => !one.includes('after='))).toEqual([])
    expect(asked.size).toBeLessThanOrEqual(3)
    // Old pages are read again when they come into view.
    await alice.client.createTransaction({ ...bank, body: { ...shop(701), name: 'Newest' } })
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('link', { name: 'Newest', exact: true }).waitFor()
  })
})

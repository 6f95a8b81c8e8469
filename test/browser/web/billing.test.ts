import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { startStripe } from '@coffer/test/providers/stripe.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'

const { viewBypassed } = useBrowser()

const stripe = started(() => startStripe())
const coffer = started(() =>
  startCoffer({ ...stripe.settings, COFFER_BILLING_TRIAL_DAYS: '1', COFFER_EXTERNAL_URL: home }),
)

const home = 'http://coffer.home'

test('after the trial a person subscribes at Stripe, and comes back to the budget', async () => {
  const alice = await coffer.person()
  await alice.createBankAccount(100_000)
  coffer.booted.clock.now = new Date(Date.now() + 36 * 60 * 60_000)
  const origins = ['https://pay.test']
  const viewing = { url: coffer.baseUrl, cookie: alice.cookie, origins, hasRefusals: true }
  await viewBypassed(viewing, async (page) => {
    await page.route('https://pay.test/*', (route) => route.fulfill({ body: 'Stripe' }))
    await page.getByRole('heading', { level: 1, name: 'Subscription' }).waitFor()
    await takePicture(page, 'web-subscribe')
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByText('Stripe').waitFor()
    const sessionId = new URL(page.url()).pathname.slice(1)
    await page.goto(`${coffer.baseUrl}/account/subscribe/after?session=${sessionId}`)
    await page.getByText('The payment is not through yet.').waitFor()
    stripe.pay(sessionId)
    await page.getByText('The subscription is active.').waitFor()
    await takePicture(page, 'web-subscribed')
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'To your budget' }).click()
    await page.getByText('$1,000.00').first().waitFor()
  })
})

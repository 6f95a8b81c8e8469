import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { clientOf } from '@coffer/test/harness/person.ts'
import { setUpSecondFactor } from '@coffer/test/harness/second-factor.ts'
import { expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'
import { startPathProxy } from '../path-proxy.ts'
import { createHousehold } from '../web/household.ts'
import { seenBy, signIn, storedBy, untilSeen } from './stored.ts'

const { viewBypassed, view } = useBrowser()

const proxy = started(() => startPathProxy('/coffer'))
const coffer = started(() => startCoffer({ COFFER_EXTERNAL_URL: proxy.url }))

const viewing = () => {
  proxy.forwardTo(coffer.baseUrl)
  return { url: `${proxy.url}/`, hasRefusals: true, hasOutage: true, hasWorker: true }
}

test('without the server the app opens with what was seen last, and changes nothing', async () => {
  const alice = await coffer.person()
  const { bank } = await createHousehold(alice)
  await viewBypassed(viewing(), async (page) => {
    await signIn(page, alice)
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    // Home shows the transaction, too.
    await page.getByRole('heading', { level: 1, name: 'Transactions' }).waitFor()
    await page.getByRole('link', { name: '<b>Corner</b> shop' }).waitFor()
    await page.getByRole('link', { name: 'Envelopes' }).first().click()
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
    await untilSeen(page, '/spending')
    // Home has asked for a shorter list.
    await untilSeen(page, '/transactions?limit=100')
    proxy.goAway()
    await page.reload()
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
    await page.getByText(/You see what was known at .* or before/).waitFor()
    // A proxy that answers for a server that is away.
    proxy.refuse(502)
    await page.reload()
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
    await page.getByText(/You see what was known at .* or before/).waitFor()
    await takePicture(page, 'web-offline')
    expect(await axeFaults(page)).toEqual([])
    const form = await typePayment(page)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('It is tried a little longer. Your entries are still here.').waitFor()
    await form.getByText('nothing was sent').waitFor()
    await takePicture(page, 'web-offline-form')
    expect(await axeFaults(page)).toEqual([])
    // The server comes back as another process.
    await using restarted = await coffer.startGateway({})
    proxy.forwardTo(restarted.baseUrl)
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Bookshop' }).waitFor()
    await page.getByText('You see what was').waitFor({ state: 'detached' })
    const { data } = await alice.client.listTransactions({ ...bank, query: { search: 'Bookshop' } })
    expect(data.map(({ amount }) => amount)).toEqual([2_500])
  })
})

/** Types a payment into the form of the screen of transactions, and returns the form. */
async function typePayment(page: Page): Promise<Locator> {
  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await page.getByRole('link', { name: '<b>Corner</b> shop' }).waitFor()
  await page.getByRole('button', { name: 'Add' }).click()
  const form = page.getByRole('dialog', { name: 'Add a transaction' })
  await form.getByLabel('Name').fill('Bookshop')
  await form.getByLabel('Amount').fill('20+5')
  return form
}

test.each(['lose', 'cut'] as const)(
  'a payment is saved once, though it is sent again after %s',
  async (way) => {
    const gina = await coffer.person()
    const { bank } = await createHousehold(gina)
    await view(viewing(), async (page) => {
      await signIn(page, gina)
      const form = await typePayment(page)
      proxy[way]('/transactions')
      await form.getByRole('button', { name: 'Save' }).click()
      await form.getByText('may have saved this already').waitFor()
      await takePicture(page, 'web-answer-lost')
      proxy.forwardTo(coffer.baseUrl)
      // The client repeats what a busy server has not done. The route stays: a request that comes
      // just as it is removed may hang.
      const busy = { status: 503, headers: { 'retry-after': '0' }, json: { error: 'busy' } }
      let isBusy = true
      await page.route('**/transactions', async (route) => {
        await (isBusy ? route.fulfill(busy) : route.continue())
        isBusy = false
      })
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'detached' })
      const query = { search: 'Bookshop' }
      expect((await gina.client.listTransactions({ ...bank, query })).data).toHaveLength(1)
    })
  },
)

test('a server that stops to answer is missed soon, and seen soon when it is back', async () => {
  const ivan = await coffer.person()
  await createHousehold(ivan)
  await view(viewing(), async (page) => {
    await signIn(page, ivan)
    const goOn = proxy.hold('/api/')
    await page.getByRole('link', { name: 'Envelopes' }).first().click()
    const notice = page.getByText('You see what was known')
    await notice.waitFor({ timeout: 9_000 })
    goOn()
    await notice.waitFor({ state: 'detached', timeout: 9_000 })
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
  })
})

test('a device without a network says at once that nothing was sent', async () => {
  const hugo = await coffer.person()
  await createHousehold(hugo)
  await view(viewing(), async (page) => {
    await signIn(page, hugo)
    const form = await typePayment(page)
    await page.context().setOffline(true)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('nothing was sent').waitFor()
    expect(asked.filter((path) => path.endsWith('/api/config'))).toHaveLength(1)
  })
})

test('when the network comes back, the app is up to date without its next look', async () => {
  const judy = await coffer.person()
  const { bank } = await createHousehold(judy)
  await view(viewing(), async (page) => {
    await signIn(page, judy)
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    await page.getByRole('link', { name: '<b>Corner</b> shop' }).waitFor()
    await untilSeen(page, '/transactions?limit=100')
    // The looks for the server after pauses (server-watch.ts) never come: the event has to do it.
    await page.evaluate(`{
      const later = setTimeout
      window.setTimeout = (work, ms, ...rest) =>
        [1000, 2000, 4000, 8000].includes(ms) ? 0 : later(work, ms, ...rest)
    }`)
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Envelopes' }).first().click()
    const notice = page.getByText('You see what was known')
    await notice.waitFor()
    const date = new Date().toISOString()
    await judy.client.createTransaction({ ...bank, body: { name: 'Bakery', amount: 450, date } })
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    expect(await page.getByRole('link', { name: 'Bakery' }).count()).toBe(0)
    await page.context().setOffline(false)
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Bakery' }).waitFor()
  })
})

test('a sign-out without the server leaves nothing, and ends the session later', async () => {
  const bob = await coffer.person()
  const { bank } = await createHousehold(bob)
  await view(viewing(), async (page) => {
    await signIn(page, bob)
    await untilSeen(page, '/overview')
    proxy.goAway()
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    const { cached, local } = await storedBy(page)
    const names = Object.keys(cached)
    expect(names.filter((name) => !/^coffer-app .*(\/|\.js|\.css|\.woff2)$/.test(name))).toEqual([])
    for (const text of ['Corner', 'Groceries', bank.path.bankAccountId, bob.email]) {
      expect(JSON.stringify(local)).not.toContain(text)
    }
    await page.goto(`${proxy.url}/`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    proxy.forwardTo(coffer.baseUrl)
    await page.goto(`${proxy.url}/`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await eventually(
      async () => (await page.request.get(`${proxy.url}/api/users/me`)).status(),
      (status) => status === 401,
    )
  })
})

test('the end of a session erases, and so does the sign-in of another person', async () => {
  const [carol, dave] = [await coffer.person(), await coffer.person()]
  await createHousehold(carol)
  await dave.createBankAccount(7_700)
  await view(viewing(), async (page) => {
    await signIn(page, carol)
    await untilSeen(page, '/overview')
    await carol.session.endOtherSessions({ body: {} })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await eventually(
      () => seenBy(page),
      ({ length }) => length === 0,
    )
    await signIn(page, carol)
    await untilSeen(page, '/overview')
    await page.goto(`${proxy.url}/login`)
    await signIn(page, dave)
    await untilSeen(page, '/overview')
    const { cached } = await storedBy(page)
    expect(JSON.stringify(cached)).not.toContain('Corner')
    proxy.goAway()
    await page.reload()
    await page.getByText('$77.00').first().waitFor()
  })
})

test('on the device of another person nothing is stored, until it is chosen', async () => {
  const erin = await coffer.person()
  await createHousehold(erin)
  await view(viewing(), async (page) => {
    await signIn(page, erin, true)
    await page.getByText('Corner').waitFor()
    const nothing = { cached: {}, workers: 0 }
    expect(await storedBy(page)).toMatchObject(nothing)
    await page.goto(`${proxy.url}/settings`)
    const kept = page.getByLabel('Keep on this device what was seen last')
    await kept.check()
    await untilSeen(page, '/overview')
    await kept.uncheck()
    await eventually(
      () => storedBy(page),
      ({ workers }) => workers === 0,
    )
    await eventually(
      () => storedBy(page),
      ({ cached }) => Object.keys(cached).length === 0,
    )
    expect(await storedBy(page)).toMatchObject(nothing)
  })
})

test('nothing of keys, exports, sessions or the second factor is ever stored', async () => {
  const frank = await coffer.person()
  await createHousehold(frank)
  await view(viewing(), async (page) => {
    await signIn(page, frank)
    const [cookie] = await page.context().cookies()
    const session = clientOf(coffer.baseUrl, { session: `${cookie?.name}=${cookie?.value}` })
    const codes = await setUpSecondFactor({ session, password: frank.password })
    await page.goto(`${proxy.url}/settings`)
    await page.locator('input[name=name]').fill('script')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('not shown again').waitFor()
    const shown = await page.locator('code').allTextContents()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download it' }).click()
    await (await download).path()
    for (const screen of ['webhooks', 'accounts', 'imports', 'transactions', '']) {
      await page.goto(`${proxy.url}/${screen}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await untilSeen(page, '/transactions')
    const { cached, local } = await storedBy(page)
    const names = Object.keys(cached).filter((name) => name.startsWith('coffer-seen'))
    const foreign = /keys|sessions|export|security|webhooks|upload|import|feed|stream|billing|links/
    expect(names.filter((name) => foreign.test(name))).toEqual([])
    const texts = JSON.stringify([names.map((name) => cached[name]), local])
    const secrets = [...codes, ...shown, cookie?.value ?? '', frank.password, 'totpEnabledAt']
    secrets.push('recoveryCodesLeft')
    expect(secrets.filter((secret) => secret === '' || texts.includes(secret))).toEqual([])
  })
})

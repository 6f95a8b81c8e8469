import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { createCertificates } from '@coffer/test/secured/certificates.ts'
import { afterAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useBrowser } from '../browser.ts'
import { useNewerBuild } from '../newer-build.ts'
import { startPathProxy } from '../path-proxy.ts'
import { createHousehold } from '../web/household.ts'
import { seenBy, signIn, storedBy, untilSeen } from './stored.ts'

const certificates = createCertificates()
const certificate = certificates.createAuthority('home').issue('coffer.home')
const { view } = useBrowser({ trusted: certificate.certificate })

const proxy = started(() => startPathProxy('/coffer', certificate))
const coffer = started(() => startCoffer({ COFFER_EXTERNAL_URL: proxy.url }))
const newer = useNewerBuild()
afterAll(() => certificates[Symbol.dispose]())

const viewing = () => {
  proxy.forwardTo(coffer.baseUrl)
  return { url: `${proxy.url}/`, hasRefusals: true, hasOutage: true, hasWorker: true }
}

const scriptOf = (page: Page) =>
  page.locator('script[type=module]:not([async])').getAttribute('src')

/** Returns the scripts of the builds that the worker has stored. */
async function buildsOf(page: Page): Promise<string[]> {
  const { cached } = await storedBy(page)
  const names = Object.keys(cached).filter((name) => name.startsWith('coffer-app '))
  return [...new Set(names.map((name) => /index-[\w-]+\.js/.exec(name)?.[0] ?? ''))]
}

test('after an upgrade the worker has the new app alone, and an old page reloads', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  await view(viewing(), async (page) => {
    await signIn(page, alice)
    await untilSeen(page, '/overview')
    expect(await buildsOf(page)).not.toContain('index-newer.js')
    // The server is away, comes back as a newer one, and the old page is still open.
    proxy.goAway()
    await page.reload()
    await page.getByText(/You see what was known at/).waitFor()
    await using upgraded = await coffer.startGateway({ webFolder: newer })
    proxy.forwardTo(upgraded.baseUrl)
    await eventually(
      () => scriptOf(page).catch(() => ''),
      (script) => script?.includes('index-newer.js') === true,
    )
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await eventually(
      () => buildsOf(page),
      (builds) => builds.join() === 'index-newer.js',
    )
    proxy.goAway()
    await page.reload()
    await page.getByText(/You see what was known at/).waitFor()
    expect(await scriptOf(page)).toContain('index-newer.js')
  })
})

test('a page of the worker reloads if a newer server answers its first request', async () => {
  const bob = await coffer.person()
  await createHousehold(bob)
  await using upgraded = await coffer.startGateway({ webFolder: newer })
  await view(viewing(), async (page) => {
    await signIn(page, bob)
    await untilSeen(page, '/overview')
    proxy.forwardTo(upgraded.baseUrl)
    proxy.refuse(503, 1)
    await page.goto(`${proxy.url}/`)
    await eventually(
      () => scriptOf(page).catch(() => ''),
      (script) => script?.includes('index-newer.js') === true,
    )
  })
})

test('a tab keeps no answer that comes after another tab has signed out', async () => {
  const carol = await coffer.person()
  await createHousehold(carol)
  await view(viewing(), async (page) => {
    await signIn(page, carol)
    await untilSeen(page, '/overview')
    const tab = await page.context().newPage()
    const release = proxy.hold('/spending?')
    const late = tab.waitForResponse(/\/spending\?/)
    const asked = tab.waitForRequest(/\/spending\?/)
    await tab.goto(`${proxy.url}/envelopes`)
    await asked
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    release()
    await (await late).finished()
    expect(await seenBy(tab)).toEqual([])
  })
})

test('of many answers the newest 200 are kept, and those of the frame', async () => {
  const dave = await coffer.person()
  const { bank, transactionId } = await createHousehold(dave)
  const { bankAccountId } = bank.path
  await view(viewing(), async (page) => {
    await signIn(page, dave)
    await untilSeen(page, '/overview')
    await page.evaluate(`(async () => {
      const [name] = (await caches.keys()).filter((one) => one.startsWith('coffer-seen'))
      const cache = await caches.open(name)
      for (let at = 0; at < 250; at += 1) {
        const path = '/coffer/api/bank_accounts/${bankAccountId}/transactions/txn_' + at
        await cache.put(path, new Response('{}'))
      }
    })()`)
    await page.goto(`${proxy.url}/transactions/${transactionId}`)
    await untilSeen(page, `/${transactionId}`)
    const counted = () =>
      page.evaluate<number>(`(async () => {
        const cache = await caches.open((await caches.keys()).find((one) => /seen/.test(one)))
        return (await cache.keys()).filter(({ url }) => !url.endsWith('last-seen-at')).length
      })()`)
    await eventually(counted, (count) => count === 200)
    const paths = (await seenBy(page)).join()
    expect(['/users/me', '/overview', 'txn_249'].filter((one) => !paths.includes(one))).toEqual([])
    expect(paths).not.toContain('txn_0,')
  })
})

test('a new person is asked whose device it is', async () => {
  const register = async (page: Page, name: string, isForeign: boolean) => {
    await page.goto(`${proxy.url}/register`)
    await page.getByLabel('First name').fill('Erin')
    await page.getByLabel('Email address').fill(`${name}-${Date.now()}@example.com`)
    await page.getByLabel('Password', { exact: true }).fill('a long enough password')
    await page.getByLabel('This is not my device').setChecked(isForeign)
    await page.getByRole('button', { name: 'Create a login' }).click()
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Create a login' }).waitFor()
  }
  await view(viewing(), async (page) => {
    await register(page, 'foreign', true)
    expect(await storedBy(page)).toMatchObject({ cached: {}, workers: 0 })
    const [cookie] = await page.context().cookies()
    expect([cookie?.secure, cookie?.httpOnly, cookie?.path]).toEqual([true, true, '/coffer'])
    await page.context().clearCookies()
    await register(page, 'own', false)
    await untilSeen(page, '/users/me')
  })
})

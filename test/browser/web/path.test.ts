import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { useBrowser } from '../browser.ts'
import { startPathProxy } from '../path-proxy.ts'
import { createHousehold } from './household.ts'

const { view } = useBrowser()

const proxy = started(() => startPathProxy('/coffer'))
const coffer = started(() => startCoffer({ COFFER_EXTERNAL_URL: proxy.url }))

interface Manifest {
  scope: string
  start_url: string
  icons: { src: string }[]
}

test('below a path of a proxy, all of the app is there, and its cookie too', async () => {
  proxy.forwardTo(coffer.baseUrl)
  const alice = await coffer.person()
  await createHousehold(alice)
  await view({ url: `${proxy.url}/envelopes`, hasRefusals: true }, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.getByLabel('Email address').fill(alice.email)
    await page.getByLabel('Password', { exact: true }).fill(alice.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Groceries' }).click()
    await page.getByRole('heading', { level: 1, name: 'Groceries' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/coffer\/envelopes\/spnd_/)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Groceries' }).waitFor()
    const cookies = await page.context().cookies()
    expect(cookies.map(({ name, path }) => [name, path])).toEqual([['coffer_session', '/coffer']])
    const address = await page.locator('link[rel=manifest]').evaluate((link) => Object(link).href)
    expect(address).toBe(`${proxy.url}/manifest.webmanifest`)
    const manifest = (await (await page.request.get(address)).json()) as Manifest
    const addressOf = (relative: string) => new URL(relative, address).href
    expect(addressOf(manifest.scope)).toBe(`${proxy.url}/`)
    expect(addressOf(manifest.start_url)).toBe(`${proxy.url}/`)
    for (const { src } of manifest.icons) {
      const icon = await page.request.get(addressOf(src))
      expect([src, icon.status(), icon.headers()['content-type']]).toEqual([src, 200, 'image/png'])
    }
    const beside = await page.context().newPage()
    await beside.goto(new URL('/beside', proxy.url).href)
    await beside.getByRole('heading', { name: 'Beside' }).waitFor()
    expect(proxy.strayCookies).toEqual([])
    // Another instance below another path of the host has its own channels, locks and choices.
    await beside.evaluate('new BroadcastChannel("coffer-changes").postMessage("signed-out")')
    await page.getByRole('button', { name: 'Hide amounts' }).click()
    const names = await beside.evaluate<string[]>(`navigator.locks.query().then(({ held }) =>
      held.map(({ name }) => name).concat(Object.keys(localStorage)))`)
    expect(names.filter((name) => !name.endsWith(' /coffer/'))).toEqual([])
    expect(names).toHaveLength(2)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })
})

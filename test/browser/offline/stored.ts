import { eventually } from '@coffer/host/testing/boot'
import type { Person } from '@coffer/test/harness/person.ts'
import type { Page } from 'playwright-core'

interface Stored {
  /** Texts by the name of the cache and the URL. */
  cached: Record<string, string>
  local: Record<string, string>
  workers: number
}

const readStored = `(async () => {
  const cached = {}
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const one of await cache.keys()) {
      const { pathname, search } = new URL(one.url)
      // The worker may delete an answer between the list of names and this line.
      const answer = await cache.match(one)
      if (answer) cached[name + pathname + search] = await answer.text()
    }
  }
  const databases = await indexedDB.databases()
  const local = { ...localStorage, ...sessionStorage, databases: JSON.stringify(databases) }
  const workers = (await navigator.serviceWorker.getRegistrations()).length
  return { cached, local, workers }
})()`

/** Returns all that a browser has stored for the app. */
export async function storedBy(page: Page): Promise<Stored> {
  return await page.evaluate<Stored>(readStored)
}

/** Returns the paths and queries of what is stored of the account. */
export async function seenBy(page: Page): Promise<string[]> {
  const { cached } = await storedBy(page)
  return Object.keys(cached).filter((name) => name.startsWith('coffer-seen /coffer/ '))
}

/** Waits until the answer of a path with a query is stored, and the worker has all its files. */
export async function untilSeen(page: Page, path: string): Promise<void> {
  const isActive = 'navigator.serviceWorker.getRegistration().then((one) => Boolean(one?.active))'
  await eventually(() => page.evaluate<boolean>(isActive), Boolean)
  const isThere = (paths: string[]) => paths.some((one) => one.includes(path))
  await eventually(() => seenBy(page), isThere)
}

export async function signIn(
  page: Page,
  { email, password }: Person,
  isForeign = false,
): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('This is not my device').setChecked(isForeign)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

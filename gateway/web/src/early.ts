// A small entry script. While the browser still loads the app, it requests the texts and the
// answers that each signed-in screen needs. `main.tsx` imports it and takes them.
import { basePath } from './base-path.ts'
import { currentLanguage, languages } from './words/languages/languages.ts'

/** Pending answers by URL, until they are taken. */
const early = new Map<string, Promise<Response>>()

/** Paths of the answers that each signed-in screen needs first. */
const paths = ['api/users/me', 'api/overview']

/** Paths of screens for visitors without a session. */
const isVisitor = /^(login|register)(\/|$)/

begin()

function begin(): void {
  void languages[currentLanguage()].load()
  // The gateway writes into the page whether its request had a cookie: without one, all are 401.
  const hasCookie = document.documentElement.dataset.cookie === 'yes'
  if (!hasCookie || isVisitor.test(location.pathname.slice(basePath.length))) return
  for (const path of paths) {
    const { href } = new URL(basePath + path, location.href)
    const answer = fetch(href, { headers: { accept: 'application/json' } })
    answer.catch(() => {})
    early.set(href, answer)
  }
}

/** Returns an answer that was requested before the app was loaded, once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = early.get(url)
  early.delete(url)
  return answer
}

/** Drops the answers, as a change of the session or of money makes them stale. */
export function forgetEarly(): void {
  early.clear()
}

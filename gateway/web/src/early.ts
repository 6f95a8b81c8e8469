// The first script, a small one: it asks for the texts and for the answers that each screen of a
// person needs, while the browser still loads the app. `main.tsx` imports it and takes them.
import { basePath } from './base-path.ts'
import { currentLanguage, languages } from './words/languages/languages.ts'

/** Answers by URL, until they are taken. */
const early = new Map<string, Promise<Response>>()

/** Paths of the answers that the frame and home begin with. */
const paths = ['api/users/me', 'api/overview']

/** Screens of visitors, who have no session. */
const isVisitor = /^(login|register)(\/|$)/

begin()

function begin(): void {
  void languages[currentLanguage()].load()
  // The gateway notes in the page whether its request had a cookie.
  const hasCookie = document.documentElement.dataset.cookie === 'yes'
  if (!hasCookie || isVisitor.test(location.pathname.slice(basePath.length))) return
  for (const path of paths) {
    const { href } = new URL(basePath + path, location.href)
    const answer = fetch(href, { headers: { accept: 'application/json' } })
    answer.catch(() => {})
    early.set(href, answer)
  }
}

/** Returns an answer that was asked for before the app was there, once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = early.get(url)
  early.delete(url)
  return answer
}

/** Forgets the answers: a change of the session or of money makes them old. */
export function forgetEarly(): void {
  early.clear()
}

import { say } from '@coffer/kit/reasons/reasons'
/** Returns the problem of a provider URL, null if it is valid (docs/banks/feed.md#urls). */
export function findUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url) return say('NOT_URL')
  if (url.search !== '') return 'must not have query parameters'
  if (url.hash !== '') return 'must not have a fragment'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  return null
}

/** Returns the canonical URL: lower-case host, no default port, dot segments or trailing slash. */
export function canonicalFeedUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

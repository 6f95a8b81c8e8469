/**
 * Returns the problem of a provider URL, or null (docs/syncs.md#urls-and-keys). A valid URL is http
 * or https, without query, fragment or credentials.
 */
export function findUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url) return 'must be a URL'
  if (url.search !== '') return 'must not have query parameters'
  if (url.hash !== '') return 'must not have a fragment'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  return null
}

/**
 * Returns the canonical form of a valid URL, which is equal for all spellings of it: scheme and
 * host in lower case, without default port, dot segments or trailing slash.
 */
export function canonicalFeedUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
